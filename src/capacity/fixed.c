/* fixed.c -- Searches the capacity of a workload that is the same under every
 * seed: there is nothing to replicate, and the answer has no interval. */
#include <config.h>
#include <math.h>
#include "capacity/stages.h"

/* Returns 1 if the rate meets the bounds, 0 if not, -1 with *g->p. */
static int meets(struct searching *g, double rate, int32_t *broken)
{
	struct run_result r;
	const struct run_of of = {.rate = rate, .requests = g->s->requests};
	int rc = stage_run(g, &of, &r);
	int met = rc == 0 && r.worst <= 1 && r.unfinished == 0;
	if (met)
		stage_describe(g, &r);
	else
		*broken = (int32_t)r.worst_bound;
	excess_free(&r.excess);
	return rc < 0 ? -1 : met;
}

int fixed(struct searching *g)
{
	struct capacity *c = &g->s->answer;
	double low = exp(g->s->log_saturation) / 1000;
	double high = exp(g->s->log_saturation) * 1.02;
	double apart = g->task->precision / 10;
	int32_t broken = LIMITED_BY_SATURATION;
	int met = meets(g, high, &broken);
	if (met < 0)
		return -1;
	if (met)
		low = high / 1.02;
	while (!met && high > low * (1 + apart)) {
		double mid = sqrt(low * high);
		int is_met = meets(g, mid, &broken);
		if (is_met < 0)
			return -1;
		if (is_met)
			low = mid;
		else
			high = mid;
	}
	c->verdict = CAPACITY_FOUND;
	c->stopped_by = STOP_PRECISION;
	c->limited_by = broken;
	c->request_rate = c->low = c->high = low;
	c->replications = 1;
	c->slope = NAN;
	g->s->is_over = 1;
	return 0;
}
