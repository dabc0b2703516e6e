/* plugin/checks.h -- what is asked of every cost model, one function for each
 * promise of stepcost/plugin.h.  Each runs in a process of its own, over a list
 * of steps, and stops at the first that shows the promise broken. */
#ifndef SC_PLUGIN_CHECKS_H
#define SC_PLUGIN_CHECKS_H
#include <stdio.h>
#include "base/problem.h"
#include "cost/cost.h"
#include "cost/owned_step.h"
#include "cost/steps.h"
#include "jobs/guard.h"
#include "plugin/loader.h"

/* A plugin on the bench. */
struct subject {
	const struct plugin *plugin;
	const sc_setup *setup;
	const void *knobs;
	struct cost a; /* created before a check runs */
	const struct steps *steps;
	/* shared with the process that wants to know */
	struct job_status *status;
	struct owned_step
	    *at; /* the step under way; status->step points there */
	volatile unsigned char *printed; /* as in guard.h */
	FILE *notes;                     /* diagnostics, lines */
	int said; /* a file that standard error goes to; -1: it does not */
};

struct check {
	const char *name;
	/* 0, or -1 with *p (EXIT_SAYS_NO): what is wrong with the step in
	 * lab->at. */
	int (*run)(struct subject *l, struct problem *p);
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
