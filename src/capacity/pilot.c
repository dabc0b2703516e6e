/* pilot.c -- Finds the region where a bound breaks, and how many requests a run
 * needs there. */
#include <config.h>
#include <math.h>
#include "capacity/stages.h"

/* log excess at a log rate. */
struct point {
	double x, f;
};
struct bracket {
	struct point low, high; /* met; not met                              */
	int has_high;
	int last_side; /* -1: low was moved last, 1: high                     */
};

enum { LEAST_REQUESTS = 1000, MOST_REQUESTS = 1 << 17, MOST_RUNS = 24 };

/* The excess says little where it is nearly 0 or a queue grows without end. */
static double log_excess(double worst)
{
	return log(fmin(fmax(worst, 0.02), 20));
}

/* Returns how many requests a run needs so that what holds in it holds in the
 * long run: 30 times the requests in the system, 20 times the longest latency
 * that is allowed, and twice as many while caches are still filling.  Where
 * waiting breaks a bound, also 20 times the requests in which a queue forgets
 * how it began, 1 / (1 - utilization)^2 (the relaxation time of a queue in
 * heavy traffic). */
static uint64_t long_enough(const struct searching *g, double rate,
			    const struct run_result *r)
{
	uint64_t m = g->s->requests;
	double idle = fmax(1 - rate / exp(g->s->log_saturation), 0.03);
	double forgets = g->s->waiting_breaks ? 1 / (idle * idle) : 0;
	double turns = (double)g->rated.keys->turns;
	double in_system = rate / turns * r->lives_s * turns;
	double longest = bounds_longest_s(g->task->bounds) * rate;
	if (excess_warming(&r->excess) > 0.05)
		m *= 2;
	while ((double)m < 30 * in_system || (double)m < 20 * longest ||
	       (double)m < 20 * forgets)
		m *= 2;
	return m < MOST_REQUESTS                ? m
	       : g->s->requests > MOST_REQUESTS ? g->s->requests
						: MOST_REQUESTS;
}

static struct point take(struct bracket *b, double x, double worst)
{
	struct point at = {x, log_excess(worst)};
	int side = at.f < 0 ? -1 : 1;
	/* Illinois: an end that stays twice counts half. */
	if (side == b->last_side && side < 0)
		b->high.f /= 2;
	if (side == b->last_side && side > 0)
		b->low.f /= 2;
	b->last_side = side;
	if (side < 0) {
		b->low = at;
	} else {
		b->high = at;
		b->has_high = 1;
	}
	return at;
}

/* Between the ends, by the line through them; not far below the upper one,
 * because the excess rises ever more steeply. */
static double between(const struct bracket *b)
{
	double x = b->low.x +
		   (b->high.x - b->low.x) * b->low.f / (b->low.f - b->high.f);
	double least = b->high.x - 1;
	return x > least ? x : least;
}

static double slope_at(const struct bracket *b)
{
	double apart = b->high.x - b->low.x;
	double slope = apart > 0 ? (b->high.f - b->low.f) / apart : 0;
	return slope > 0.5 ? slope : 0.5;
}

/* The bounds hold at the limit that one seed gave, less 3 %.  Measures the
 * limit better; if they hold there, too, under several seeds, it is the answer.
 * If not, *x becomes the rate at which they broke. */
static int try_limit(struct searching *g, struct bracket *b, double *x)
{
	enum { SEEDS = 4 };
	struct capacity_search *s = g->s;
	double worst = 0;
	if (throughput_measure(g) < 0)
		return -1;
	*x = s->log_saturation + log(0.97);
	for (int i = 0; i < SEEDS; i++)
		if (stage_replicate(g, *x, ++s->n_numbers) < 0)
			return -1;
	for (uint32_t k = 0; k < g->task->bounds->n; k++) {
		double mean = 0;
		for (uint32_t i = s->n - SEEDS; i < s->n; i++)
			mean += s->run[i].excess[k] / SEEDS;
		worst = fmax(worst, mean);
	}
	if (worst <= 1)
		return throughput_answer(g);
	take(b, *x, worst);
	return 0;
}

/* One point of the search.  *x becomes the next; is_found: x stands. */
static int try_rate(struct searching *g, struct bracket *b,
		    const struct point *unloaded, double *x, int *is_found)
{
	struct capacity_search *s = g->s;
	struct run_result r;
	const struct run_of of = {.rate = exp(*x), .requests = s->requests};
	int rc = stage_run(g, &of, &r);
	uint64_t enough = rc == 0 && r.worst < 2.5 ? long_enough(g, of.rate, &r)
						   : s->requests;
	double worst = r.worst;
	if (rc == 0)
		stage_describe(g, &r);
	excess_free(&r.excess);
	if (rc < 0)
		return -1;
	if (enough > s->requests) {
		/* What shorter runs met may be more than longer ones meet. */
		s->requests = enough;
		b->low = *unloaded;
		b->last_side = 0;
		return 0;
	}
	struct point at = take(b, *x, worst);
	double limit = s->log_saturation + log(0.97);
	if (!b->has_high && *x >= limit) {
		*is_found = 1;
		return try_limit(g, b, x);
	}
	*is_found =
	    fabs(at.f) < 0.15 || (b->has_high && b->high.x - b->low.x < 0.04);
	if (*is_found && fabs(at.f) >= 0.15)
		*x = between(b);
	if (!*is_found)
		*x = b->has_high ? between(b) : limit;
	return 0;
}

static int search_between(struct searching *g, const struct point *unloaded)
{
	struct bracket b = {.low = *unloaded};
	double x = g->s->log_saturation + log(0.75);
	int is_found = 0;
	for (int i = 0; i < MOST_RUNS && !is_found && !g->s->is_over; i++)
		if (try_rate(g, &b, unloaded, &x, &is_found) < 0)
			return -1;
	g->s->log_rate = x;
	g->s->pilot_slope = b.has_high ? slope_at(&b) : 0.5;
	return 0;
}

/* A few requests, each nearly alone in the engine. */
static int try_unloaded(struct searching *g, double per_s,
			struct point *unloaded)
{
	enum { FEW = 500 };
	struct run_result r;
	const struct run_of of = {
	    .rate = per_s / 1000,
	    .requests = g->s->requests < FEW ? g->s->requests : FEW};
	int rc = stage_run(g, &of, &r);
	if (rc == 0 && r.worst > 1)
		stage_none(g, &r, (int32_t)r.worst_bound);
	*unloaded = (struct point){log(of.rate), log_excess(r.worst)};
	excess_free(&r.excess);
	return rc;
}

int pilot(struct searching *g)
{
	struct capacity_search *s = g->s;
	struct run_result r;
	struct point unloaded;
	double per_s = 0;
	uint64_t given = (uint64_t)g->rated.keys->num_requests;
	s->requests = given > LEAST_REQUESTS ? given : LEAST_REQUESTS;
	uint64_t m = s->requests > 2000 ? s->requests : 2000;
	int rc = throughput_of(g, m, &per_s, &r);
	s->waiting_breaks = r.worst > 1;
	if (rc == 0 && (stage_rejects(&r) || !(per_s > 0)))
		stage_none(g, &r, LIMITED_BY_REJECTION);
	excess_free(&r.excess);
	if (rc < 0 || s->is_over)
		return rc;
	if (try_unloaded(g, per_s, &unloaded) < 0)
		return -1;
	if (s->is_over)
		return 0;
	if (throughput_limit(g, m, per_s) < 0)
		return -1;
	if (!rated_is_random(&g->rated))
		return fixed(g);
	return search_between(g, &unloaded);
}
