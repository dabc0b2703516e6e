/* tables/choice.h -- which sets an arm is told of: those that are named, or all
 * that were measured on its GPU.
 *
 * A set is of the GPU that its MANIFEST names: `gpu = H100 SXM 80GB` is that of
 * hardware whose `gpu` is "H100 SXM", since it has all these words.  A set
 * without a MANIFEST is of the GPU of its name.  Letters of either case, and
 * "80GB" is the word "80". */
#ifndef SC_TABLES_CHOICE_H
#define SC_TABLES_CHOICE_H
#include "base/ini.h"
#include "base/problem.h"
#include "keys/hardware.h"
#include "tables/library.h"

struct set_place {
	char *path, *name; /* the folder PATH/NAME, or as set.h says */
};
struct set_choice {
	struct set_place *item;
	size_t n;
};

/* Adds the sets of "a, b" to those of *c, which is zero at first.  path and
 * written: as set_find().  0, or -1 with *p (EXIT_USAGE): there is none of a
 * name, or it is given twice.  set_choice_free() in either case. */
int set_choice_named(struct set_choice *c, const char *path,
		     const char *written, const char *names, struct problem *p);
/* Every set of the GPU, in descending order of their names ("vllm-0.24" before
 * "vllm-0.9" before "sglang-0.5").  If it has none, those of its nearest
 * relative: a GPU under etc/hardware of the same architecture, by the ratios of
 * bandwidth and of the BF16 peak.
 * None at all is no error.  The same otherwise. */
int set_choice_of_gpu(struct set_choice *c, struct library *l, const char *path,
		      const char *written, const struct hardware *h,
		      struct problem *p);
void set_choice_free(struct set_choice *c);

/* Is a set of the GPU?  named: by its MANIFEST, or else its own name. */
int set_is_of_gpu(const char *named, const char *gpu);
#endif
