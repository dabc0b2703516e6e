/* plugin/checks.h -- what is asked of every cost model, one function for each
 * promise of stepcost/plugin.h.  Each runs in a process of its own, over a list
 * of steps, and stops at the first that shows the promise broken. */
#ifndef SC_PLUGIN_CHECKS_H
#define SC_PLUGIN_CHECKS_H
#include "plugin/subject.h"

struct check {
	const char *name;
	/* 0, or -1 with *p (EXIT_SAYS_NO): what is wrong with the step in
	 * s->at. */
	int (*run)(struct subject *s, struct problem *p);
	uint32_t unless;   /* SC_CAP_*: a plugin that declares this may fail  */
	uint32_t skip;     /* SC_CAP_*: does not apply to one that has this   */
	const char *steps; /* CSV rows step,decode,prefill; NULL: the grid */
};
extern const struct check check_list[];
extern const size_t check_count;

/* The grid, from one token to batches beyond what engines run, as rows
 * of a steps file.  free() it; NULL: out of memory. */
char *check_grid(void);
#endif
