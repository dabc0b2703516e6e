/* settle.c -- Simulates one replication with as many requests as it needs. */
#include <math.h>
#include "capacity/stages.h"

/* A run is a little longer than is asked for, so that one that is hardly more
 * loaded need not be repeated. */
#define ASK_MORE 1.15

/* Rule L: 30 times the requests in the system, and 20 times the longest latency
 * that is allowed; so what holds in a run holds in the long run.  Requests of a
 * session are in the system one at a time, for their share of its life, and the
 * tenth that does not count lasts a whole life. */
static double rule_l(const struct searching *g, double rate,
		     const struct run_result *r)
{
	double turns = (double)g->task.workload->turns;
	double in_system = fmax(30 / turns, 10) * rate * r->lifetime_s;
	double longest = 20 * bounds_longest_s(g->task.bounds) * rate;
	return fmax(in_system, longest);
}

/* The least that a replication at a rate has; one on which an answer rests, at
 * least as much as the task asks for. */
static uint64_t least_at(const struct searching *g, double rate, uint64_t least)
{
	double n = (double)(least > SETTLE_LEAST ? least : SETTLE_LEAST);
	if (g->has_reuse)
		n = fmax(n, REUSE_LEAST_S * rate);
	/* An autoscaler gets the time in which it has to act. */
	n = fmax(n, stage_from_s(g, rate) * rate);
	if (least)
		n = fmax(n, (double)g->task.least_requests);
	return n < SETTLE_MOST ? (uint64_t)n : SETTLE_MOST;
}

static int simulate_with(struct searching *g, double rate, uint64_t requests,
			 struct run_result *r)
{
	const struct run_of of = {
	    .rate = rate,
	    .requests = requests + (uint64_t)(stage_from_s(g, rate) * rate),
	    .number = 1,
	    .from_s = stage_from_s(g, rate)};
	excess_free(&r->excess);
	return stage_run(g, &of, r);
}

/* A fleet that fills from empty looks like one with a growing queue.  Returns 1
 * if longer runs grow as well, 0 with a longer run that does not, -1 with
 * *g->p. */
static int look_for_growth(struct searching *g, double rate,
			   struct run_result *r)
{
	uint64_t requests = g->s->requests;
	if (!r->run.grows || r->worst > 1)
		return r->run.grows != 0;
	for (int times = 2; times <= 4; times *= 2) {
		uint64_t longer = requests * (uint64_t)times;
		if (longer > SETTLE_MOST)
			return 1;
		if (simulate_with(g, rate, longer, r) < 0)
			return -1;
		if (!r->run.grows) {
			g->s->requests = longer;
			return 0;
		}
	}
	return 1;
}

/* Where an autoscaler has fewer replicas than it needs for a while, the queue
 * that follows is long in draining: what still drains does not count.  A bound
 * is exceeded for good only if latencies do not fall.  Returns 1 if what counts
 * has to begin later. */
static int still_drains(struct searching *g, double rate,
			const struct run_result *r)
{
	const struct excess *x = &r->excess;
	int falls = x->latency_s[0] > 1.25 * x->latency_s[1] ||
		    (r->worst > 1 && x->falls);
	if (!falls || !engine_is_autoscaled(&g->engine) ||
	    g->from_s * rate >= LEFT_OUT_MOST)
		return 0;
	g->from_s *= 2;
	return 1;
}

int settle(struct searching *g, double rate, uint64_t least,
	   struct run_result *r)
{
	struct capacity_search *s = g->s;
	*r = (struct run_result){0};
	g->is_short = 0;
	if (g->rated.is_timed)
		return simulate_with(g, rate, 0, r);
	for (;;) {
		uint64_t n = least_at(g, rate, least);
		s->requests = s->requests > n ? s->requests : n;
		if (simulate_with(g, rate, s->requests, r) < 0)
			return -1;
		if (still_drains(g, rate, r))
			continue;
		int grows = look_for_growth(g, rate, r);
		if (grows < 0)
			return -1;
		if (grows || r->worst >= 2.5)
			return 0;
		double asks = rule_l(g, rate, r);
		g->is_short = asks > SETTLE_MOST;
		if ((double)s->requests >= fmin(asks, SETTLE_MOST))
			return 0;
		s->requests = (uint64_t)fmin(ASK_MORE * asks, SETTLE_MOST);
	}
}
