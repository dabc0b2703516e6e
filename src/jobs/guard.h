/* jobs/guard.h -- stands between the engine and a plugin: tells the job's watch
 * when the plugin's code runs, notes the step it was given, and catches what it
 * writes where it must not: past the result, over the step, over the host's
 * note of it. */
#ifndef SC_JOBS_GUARD_H
#define SC_JOBS_GUARD_H
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
	void *page; /* result, slack, and then nothing: beyond is a fault    */
	sc_result *result;
	unsigned char *slack;
};

/* Puts *g around the instance in *c, until cost_destroy(); g must outlive it,
 * and w must outlive g.  What the plugin does wrong is w->misdeed; from then on
 * nothing of it is called.  0, or -1 with *p. */
int guard_install(struct guard *g, struct cost *c, struct watch *w,
		  struct problem *p);
void guard_free(struct guard *g);
#endif
