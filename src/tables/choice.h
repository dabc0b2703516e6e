/* tables/choice.h -- which sets of tables an arm gets: those that are named, or
 * all that were measured on its GPU.
 *
 * A set belongs to the GPU that its MANIFEST names: `gpu = H100 SXM 80GB`
 * matches hardware with gpu "H100 SXM", because it has all of these words.  A
 * set without a MANIFEST belongs to the GPU in its own name.  Case does not
 * matter, and "80GB" is the word "80". */
#pragma once
#include "base/ini.h"
#include "base/problem.h"
#include "keys/hardware.h"
#include "tables/library.h"

struct set_place {
	char *path, *name; /* folder PATH/NAME, or the layouts of set.h */
};
struct set_choice {
	struct set_place *item;
	size_t n;
	uint32_t layers; /* KERNEL_OF_*: of the model that is served */
	/* Returns the folder of the sets of a plugin of that name, for the
	 * caller to free, or NULL with *p filled in.  NULL: no plugin has sets.
	 */
	char *(*sets_of)(const char *plugin, struct problem *p);
};

/* Adds the sets in "a, b" to *c, which is zeroed at first, except for sets_of;
 * a set "PLUGIN/SET" is one of that plugin's own.  path and written: as in
 * set_find().  Returns 0, or -1 with *p filled in (EXIT_USAGE): a set does not
 * exist or is given twice.  The caller calls set_choice_free() in either case.
 */
int set_choice_named(struct set_choice *c, const char *path,
		     const char *written, const char *names, struct problem *p);
/* Adds every set of the GPU with tables for these layers, in descending order
 * of names ("vllm-0.24" before "vllm-0.9" before "sglang-0.5").  If there is
 * none, adds the sets of its nearest relative: a GPU in etc/hardware of the
 * same architecture, by the ratios of bandwidth and BF16 peak.  To find nothing
 * is no error.  Returns as set_choice_named(). */
int set_choice_of_gpu(struct set_choice *c, struct library *l, const char *path,
		      const char *written, const struct hardware *h,
		      uint32_t layers, struct problem *p);
void set_choice_free(struct set_choice *c);
/* Returns the list behind "auto" and its comma ("" if there is none), or NULL
 * if the list does not begin with "auto". */
const char *set_names_behind_auto(const char *list);

/* Returns 1 if a set belongs to the GPU.  named: the GPU in its MANIFEST, or
 * else the name of the set. */
int set_is_of_gpu(const char *named, const char *gpu);
