/* plugin/checks.h -- the checks of every cost model, one function per promise
 * of stepcost/plugin.h.  Each runs in its own process over a list of steps, and
 * stops at the first step that breaks the promise. */
#pragma once
#include "plugin/subject.h"

struct check {
	const char *name;
	/* Returns 0, or -1 with *p filled in (EXIT_SAYS_NO): what is wrong with
	 * the step in s->at. */
	int (*run)(struct subject *s, struct problem *p);
	/* SC_CAP_*: a plugin that declares this may fail the check */
	uint32_t unless;
	/* SC_CAP_*: the check is skipped for a plugin with this */
	uint32_t skip;
	const char *steps; /* CSV rows step,decode,prefill; NULL: the grid */
};
extern const struct check check_list[];
extern const size_t check_count;

/* Returns the grid, from one token to batches beyond those of real engines, as
 * rows of a steps file.  The caller frees it; NULL: memory is out. */
char *check_grid(void);
