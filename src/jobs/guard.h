/* jobs/guard.h -- stands between the engine and a plugin: tells the job's watch
 * when the plugin's code runs, notes what it was asked, and catches what it
 * writes where it must not: past a result, over a step, over the host's note of
 * it.  Of steps that are priced in one call the watch looks at all at once;
 * what was written past a result is that step's fault. */
#ifndef SC_JOBS_GUARD_H
#define SC_JOBS_GUARD_H
#include <stddef.h>
#include <stdint.h>
#include "base/problem.h"
#include "cost/cost.h"
#include "jobs/watch.h"
#include "stepcost/plugin.h"

struct guard {
	sc_plugin outer; /* what the engine calls; its instance is the guard  */
	const sc_plugin *p;
	void *inst;
	struct watch *watch;
	uint64_t n_kernels; /* calls of kernel() begun                       */
	uint64_t n_calls;   /* of eval() and eval_batch()                    */
	sc_step asked[COST_BATCH]; /* what the steps were                    */
	/* COST_BATCH answers, each with its slack, and then nothing: beyond is
	 * a fault */
	void *page;
	size_t bytes;
};

/* Puts *g around the instance in *c, until cost_destroy(); g must outlive it,
 * and w must outlive g.  What the plugin does wrong is w->misdeed; from then on
 * nothing of it is called.  0, or -1 with *p. */
int guard_install(struct guard *g, struct cost *c, struct watch *w,
		  struct problem *p);
void guard_free(struct guard *g);
#endif
