/* carries.c -- Tests whether a fleet carries a rate, by as many replications as
 * that takes. */
#include <math.h>
#include "math/student.h"
#include "capacity/stages.h"

/* Looks at 3, 6, 12, 24 and 48 replications, each at 98 %: wrong in at most 10
 * of 100 cases that are on the border, far less elsewhere. */
#define LOOK_CONFIDENCE 0.98
enum { FIRST_LOOK = 3 };

static double mean_of(const struct capacity_end *e, uint32_t bound)
{
	double mean = 0;
	for (uint32_t i = 0; i < e->n; i++)
		mean += run_excess(&e->run[i], bound) / e->n;
	return mean;
}

static double half_width_of(const struct capacity_end *e, uint32_t bound,
			    double mean)
{
	double squares = 0;
	if (e->n < 2)
		return 0;
	for (uint32_t i = 0; i < e->n; i++) {
		double d = run_excess(&e->run[i], bound) - mean;
		squares += d * d;
	}
	return student_two_sided(LOOK_CONFIDENCE, e->n - 1.0) *
	       sqrt(squares / (e->n - 1) / e->n);
}

/* Judges the replications so far: the rate is carried if every bound holds with
 * its whole interval, and is not if one is broken with its whole interval. */
static void look(const struct searching *g, struct capacity_test *t)
{
	const struct capacity_end *e = &g->s->low;
	double worst = -1;
	int yes = 1, no = 0;
	t->replications = e->n;
	t->grown = 0;
	for (uint32_t i = 0; i < e->n; i++)
		t->grown += e->run[i].grows;
	for (uint32_t i = 0; i < g->task.bounds->n; i++) {
		double mean = mean_of(e, i), half = half_width_of(e, i, mean);
		t->excess[i] = mean;
		yes &= mean + half < 1;
		no |= mean - half > 1;
		if (mean > worst) {
			worst = mean;
			t->worst = (int32_t)i;
			t->low = fmax(mean - half, 0);
			t->high = mean + half;
		}
	}
	t->verdict = yes ? CARRIES_YES : no ? CARRIES_NO : CARRIES_UNDECIDED;
}

/* Returns the replications of the next look; 0: there is none. */
static uint32_t next_look(const struct searching *g)
{
	const struct capacity_search *s = g->s;
	uint32_t n = s->low.n, next = n < FIRST_LOOK ? FIRST_LOOK : 2 * n;
	double costs = (double)(next - n) * (double)s->requests;
	if (!g->is_random || next > CARRIES_LAST_LOOK)
		return 0;
	return next > FIRST_LOOK &&
		       (double)s->answer.requests_simulated + costs >
			   (double)g->task.request_limit
		   ? 0
		   : next;
}

/* The first replication also says how long the others must be. */
static int first_replication(struct searching *g, double rate, uint64_t least)
{
	struct capacity_end *e = &g->s->low;
	struct run_result r;
	e->x = log(rate);
	e->n = 0;
	g->s->requests = 0;
	int rc = settle(g, rate, least, &r);
	if (rc == 0) {
		e->run[e->n++] = r.run;
		stage_describe(g, &r);
	}
	excess_free(&r.excess);
	return rc;
}

/* Returns 1 if the first replication tells that a fleet is far too small, so
 * that a test on which no answer rests needs no others. */
static int is_unschedulable(const struct searching *g)
{
	const struct capacity_run *first = &g->s->low.run[0];
	return !g->has_reuse && first->grows &&
	       run_worst(first, g->task.bounds) >= EXCESS_MOST;
}

static void keep(struct searching *g, const struct capacity_test *t)
{
	struct capacity_search *s = g->s;
	for (uint32_t i = 0; i < s->answer.n_tests; i++)
		if (s->test[i].units == t->units &&
		    s->test[i].rate == t->rate) {
			s->test[i] = *t;
			return;
		}
	if (s->answer.n_tests < CAPACITY_TESTS)
		s->test[s->answer.n_tests++] = *t;
}

/* Returns the test of that fleet that was made before, with as many requests;
 * NULL: none was. */
static const struct capacity_test *known(const struct searching *g,
					 uint32_t units, uint64_t least)
{
	const struct capacity_search *s = g->s;
	for (uint32_t i = 0; i < s->answer.n_tests; i++)
		if (s->test[i].units == units &&
		    s->test[i].rate == g->task.rate &&
		    s->test[i].least >= least)
			return &s->test[i];
	return NULL;
}

int carries(struct searching *g, uint32_t units, uint64_t least,
	    struct capacity_test *t)
{
	const struct capacity_test *before = known(g, units, least);
	uint32_t n;
	if (before) {
		*t = *before;
		g->s->answer.seen = t->seen;
		return 0;
	}
	*t = (struct capacity_test){
	    .units = units, .rate = g->task.rate, .worst = -1, .least = least};
	if (stage_units(g, units) < 0 ||
	    first_replication(g, g->task.rate, least) < 0)
		return -1;
	if (!g->is_random || (least < DECISIVE_LEAST && is_unschedulable(g)))
		look(g, t);
	while (t->verdict == CARRIES_UNDECIDED && (n = next_look(g))) {
		while (g->s->low.n < n)
			if (stage_replicate(g, &g->s->low, g->s->low.n + 1) < 0)
				return -1;
		look(g, t);
	}
	t->is_short = (uint32_t)g->is_short;
	t->requests_per_replication = g->s->requests;
	/* As long as any could be asked for. */
	if (g->s->requests >= DECISIVE_LEAST && t->least < DECISIVE_LEAST)
		t->least = DECISIVE_LEAST;
	t->seen = g->s->answer.seen;
	keep(g, t);
	return 0;
}
