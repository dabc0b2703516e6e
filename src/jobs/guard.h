/* jobs/guard.h -- a layer between the engine and a plugin.  It tells the job's
 * watch when the plugin's code runs, notes the question that the plugin was
 * asked, and catches forbidden writes: past a result, over a step, over the
 * host's note of the step, over the columns of a step.  Columns are compared in
 * the first calls, and then now and then, because that takes as long as pricing
 * may.  Steps that are priced in one call are checked
 * together; a write past a result is blamed on the step of that result. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "base/problem.h"
#include "cost/cost.h"
#include "jobs/watch.h"
#include "stepcost/plugin.h"

struct guard {
	sc_plugin outer; /* the engine calls this; its instance is the guard */
	const sc_plugin *p;
	void *inst;
	struct watch *watch;
	uint64_t n_kernels; /* number of calls of kernel() begun */
	uint64_t n_calls;   /* number of calls of eval() and eval_batch() */
	sc_step asked[COST_BATCH]; /* copies of the steps */
	uint64_t sum[COST_BATCH];  /* checksums of their columns */
	/* Memory for COST_BATCH answers, each with its slack; behind it is a
	 * page without access. */
	void *page;
	size_t bytes;
};

/* Puts *g around the instance in *c, until cost_destroy(); g must outlive the
 * instance, and w must outlive g.  A violation of the plugin goes to
 * w->violation; after that the guard calls none of its functions.  Returns 0,
 * or -1 with *p filled in. */
int guard_install(struct guard *g, struct cost *c, struct watch *w,
		  struct problem *p);
void guard_free(struct guard *g);
