/* capacity/own_pessimistic.h -- a cost model at the pessimistic end of
 * its own uncertainty: every step takes total * exp(z c / total), z of
 * UNCERTAINTY_COVERAGE, where c is the root of the sum of the squares of
 * sigma_us, so all sources are drawn as one (never too narrow).  low_us and
 * high_us are one source; noise_us is no source.
 *
 * A cost asks another one, which prices the steps and must outlive it.
 * [instance] */
#pragma once
#include "cost/cost.h"

struct own_pessimistic {
	struct cost cost[2], *of[2]; /* by pool; of: those that price */
	sc_plugin plugin[2];
	double z;
	int is_known; /* 1: a step said how sure the model is                 */
	struct own_pessimistic_pool {
		struct own_pessimistic *f;
		struct cost *from;
	} pool[2];
};

/* f->of is what simulate() takes.  Returns 1; 0 if no model says how sure it
 * is: it has no sources, and gives one decode no quantiles; or -1 with *p: out
 * of memory. */
int own_pessimistic_begin(struct own_pessimistic *f, struct cost *const cost[2],
			  struct problem *p);
/* The time of a step at z standard deviations, in us, over its total. */
double own_pessimistic_factor(const sc_result *r, uint32_t n_sigma, double z);
