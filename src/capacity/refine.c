/* refine.c -- Replicates near the root until its interval is narrow. */
#include <config.h>
#include <math.h>
#include "math/student.h"
#include "capacity/stages.h"

enum {
	FIRST_PAIRS = 4,
	MORE_PAIRS = 4,
	MOST_PAIRS = 40,
	MOST_MOVES = 6,
	LEAST_NUMBERS = 10,
	SKEWED_NUMBERS = 64, /* least, where excesses vary much              */
};

/* ---- slopes and roots ---- */

static size_t column(const struct capacity_search *s, uint32_t first,
		     uint32_t bound, struct replicate to[CAPACITY_RUNS])
{
	size_t n = 0;
	for (uint32_t i = first; i < s->n; i++)
		to[n++] = (struct replicate){s->run[i].log_rate,
					     s->run[i].excess[bound],
					     s->run[i].number};
	return n;
}

static void fit_slopes(struct searching *g)
{
	struct capacity_search *s = g->s;
	struct replicate r[CAPACITY_RUNS];
	s->answer.is_flat = 0;
	for (uint32_t i = 0; i < g->task->bounds->n; i++) {
		int is_flat;
		size_t n = column(s, s->first_slope_run, i, r);
		n = n < s->n_slope_runs ? n : s->n_slope_runs;
		s->slope[i] = (struct slope){0};
		if (slope_of_pairs(r, n, &s->slope[i], &is_flat) &&
		    (int32_t)i == s->answer.limited_by)
			s->answer.is_flat = (uint32_t)is_flat;
	}
}

/* The roots of all bounds.  Returns the least, or the estimate so far if no
 * bound is exceeded anywhere. */
static double fit_roots(struct searching *g, double center)
{
	struct capacity_search *s = g->s;
	struct replicate r[CAPACITY_RUNS];
	double least = INFINITY;
	for (uint32_t i = 0; i < g->task->bounds->n; i++) {
		size_t n = column(s, 0, i, r);
		s->root[i].n = 0;
		if (s->slope[i].b <= 0 ||
		    !root_of(r, n, center, &s->slope[i], &s->root[i]) ||
		    s->root[i].log_rate >= least)
			continue;
		least = s->root[i].log_rate;
		s->answer.limited_by = (int32_t)i;
	}
	if (isinf(least))
		return center;
	return least < s->log_saturation ? least : s->log_saturation;
}

/* ---- replications ---- */

/* What stops the search before that many more runs; STOP_NOT_YET: nothing. */
static enum capacity_stop stop_before(const struct searching *g, uint32_t runs)
{
	const struct capacity_search *s = g->s;
	if (s->n + runs > CAPACITY_RUNS)
		return STOP_RUNS;
	return s->answer.requests_simulated + runs * s->requests >
		       g->task->request_limit
		   ? STOP_LIMIT
		   : STOP_NOT_YET;
}

static int has_room(const struct searching *g, uint32_t runs)
{
	return stop_before(g, runs) == STOP_NOT_YET;
}

static int add_pairs(struct searching *g, double delta, uint32_t n)
{
	struct capacity_search *s = g->s;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t number = ++s->n_numbers;
		if (stage_replicate(g, s->log_rate - delta, number) < 0 ||
		    stage_replicate(g, s->log_rate + delta, number) < 0)
			return -1;
		s->n_slope_runs += 2;
	}
	return 0;
}

/* How far a pair is apart: a mean is told sharply nearby, a percentile needs
 * some more that are beyond its limit. */
static double delta_of(const struct searching *g)
{
	int32_t i = g->s->answer.limited_by;
	if (i < 0 || g->task->bounds->bound[i].percentile <= 0)
		return 0.03;
	return fmin(fmax(0.25 / g->s->pilot_slope, 0.03), 0.08);
}

static double slope_error(const struct searching *g)
{
	int32_t i = g->s->answer.limited_by;
	return i >= 0 ? g->s->slope[i].error : 0;
}

/* Returns 1 if some bound is exceeded often enough to tell how its excess
 * rises. */
static int has_slope(const struct searching *g)
{
	for (uint32_t i = 0; i < g->task->bounds->n; i++)
		if (g->s->slope[i].b > 0)
			return 1;
	return 0;
}

/* Runs pairs at the estimate, and again at better ones until it stays.  A rate
 * that broke a bound under the pilot's seed may break none under others; then
 * the rate is raised. */
static int settle_slope(struct searching *g, double delta)
{
	struct capacity_search *s = g->s;
	for (int moves = 0;; moves++) {
		s->first_slope_run = s->n;
		s->n_slope_runs = 0;
		if (add_pairs(g, delta, FIRST_PAIRS) < 0)
			return -1;
		fit_slopes(g);
		double moved = has_slope(g)
				   ? fit_roots(g, s->log_rate) - s->log_rate
				   : 0.1;
		int stays = has_slope(g) && fabs(moved) <= 0.1;
		if (stays || moves == MOST_MOVES ||
		    !has_room(g, 2 * FIRST_PAIRS))
			return 0;
		/* Far away the line bends: not more than half an e-fold. */
		s->log_rate += fmin(fmax(moved, -0.5), 0.5);
	}
}

static int find_slope(struct searching *g)
{
	struct capacity_search *s = g->s;
	double delta = delta_of(g);
	if (settle_slope(g, delta) < 0)
		return -1;
	if (!has_slope(g)) /* nothing breaks before the queue does */
		return throughput_answer(g);
	while (slope_error(g) > 0.15 && s->n_slope_runs < 2 * MOST_PAIRS &&
	       has_room(g, 2 * MORE_PAIRS)) {
		if (add_pairs(g, delta, MORE_PAIRS) < 0)
			return -1;
		fit_slopes(g);
	}
	s->log_rate = fit_roots(g, s->log_rate);
	return 0;
}

/* ---- the interval ---- */

/* The lower end of a bound's root.  A bound that is met at the center beyond
 * doubt is met below it, too, however little is known of how it rises. */
static double lower_end(const struct root *r, const struct slope *s,
			double confidence)
{
	double low = r->log_rate - root_half_width(r, confidence);
	double error = r->variation / sqrt(r->n);
	double most =
	    r->mean * (1 + student_two_sided(confidence, r->n - 1.0) * error);
	double center = r->log_rate + log(r->mean) / s->b;
	return most < 1 ? fmax(low, center) : low;
}

/* Lower and upper end, as the least of all bounds that are near. */
static void take_interval(struct searching *g)
{
	struct capacity_search *s = g->s;
	struct capacity *c = &s->answer;
	double low = INFINITY, high = INFINITY;
	for (uint32_t i = 0; i < g->task->bounds->n; i++) {
		const struct root *r = &s->root[i];
		if (r->n == 0 || r->log_rate > s->log_rate + 0.4)
			continue;
		double half = root_half_width(r, g->task->confidence);
		low =
		    fmin(low, lower_end(r, &s->slope[i], g->task->confidence));
		high = fmin(high, r->log_rate + half);
	}
	/* No stable rate is above the limit of throughput. */
	high = fmin(high, s->log_saturation);
	low = fmin(low, high);
	c->request_rate = exp(s->log_rate);
	c->low = exp(low);
	c->high = exp(fmax(high, s->log_rate));
}

/* Near the limit of throughput a queue grows long now and then, and forgets it
 * slowly: affordable runs show too little of that, so that the rate of a bound
 * comes out too high.  From 0.9 of the limit on the answer is lowered, and its
 * interval widened, until at 0.97 both are what throughput_answer() says. */
static void allow_for_limit(struct searching *g)
{
	const struct capacity_search *s = g->s;
	struct capacity *c = &g->s->answer;
	if (!capacity_limit_is_measured(s))
		return;
	double near = exp(s->log_rate - s->log_saturation);
	double share = fmin(fmax((near - 0.9) / (0.97 - 0.9), 0), 1);
	c->request_rate *= 1 - NEAR_LIMIT_BIAS * share;
	c->low *= 1 - 2 * NEAR_LIMIT_BIAS * share;
}

/* Means over the replications near the answer. */
static void take_means(struct searching *g)
{
	const struct capacity_search *s = g->s;
	struct capacity *c = &g->s->answer;
	size_t bounds = g->task->bounds->n, n = 0;
	double sum[CAPACITY_BOUNDS] = {0}, throughput = 0, joules = 0;
	c->requests = c->completed = c->rejected = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		const struct capacity_run *r = &s->run[i];
		if (fabs(r->log_rate - s->log_rate) > ROOT_WIDTH)
			continue;
		n++;
		throughput += r->output_throughput;
		joules += r->joules_per_token;
		c->requests += r->requests;
		c->completed += r->completed;
		c->rejected += r->rejected;
		for (size_t k = 0; k < bounds; k++)
			sum[k] += r->value[k];
	}
	c->output_throughput = n ? throughput / (double)n : NAN;
	c->joules_per_token = n ? joules / (double)n : NAN;
	for (size_t k = 0; k < bounds; k++)
		c->value[k] = n ? sum[k] / (double)n : NAN;
}

static const struct root *limiting(const struct searching *g)
{
	int32_t i = g->s->answer.limited_by;
	return i >= 0 ? &g->s->root[i] : NULL;
}

static int is_narrow(const struct searching *g, double half_width)
{
	const struct root *r = limiting(g);
	if (!r || r->n < LEAST_NUMBERS ||
	    (r->variation > 1.5 && r->n < SKEWED_NUMBERS))
		return 0;
	return capacity_half_width(&g->s->answer) <= half_width;
}

static int add_round(struct searching *g)
{
	struct capacity_search *s = g->s;
	const struct root *r = limiting(g);
	uint32_t n = r && r->n >= 40 ? 12 : 6;
	double x = s->log_rate;
	for (uint32_t i = 0; i < n; i++)
		if (stage_replicate(g, x, ++s->n_numbers) < 0)
			return -1;
	s->log_rate = fit_roots(g, x);
	return 0;
}

int refine(struct searching *g, double half_width)
{
	struct capacity_search *s = g->s;
	struct capacity *c = &s->answer;
	if (s->n_slope_runs == 0 && find_slope(g) < 0)
		return -1;
	if (s->is_over)
		return 0;
	take_interval(g);
	c->stopped_by = STOP_NOT_YET;
	while (!is_narrow(g, half_width)) {
		c->stopped_by = stop_before(g, 6);
		if (c->stopped_by != STOP_NOT_YET) {
			s->is_over = 1;
			break;
		}
		if (add_round(g) < 0)
			return -1;
		take_interval(g);
	}
	int is_done =
	    c->stopped_by == STOP_NOT_YET && is_narrow(g, g->task->precision);
	if (s->log_rate > s->log_saturation + log(0.9) &&
	    throughput_measure(g) < 0)
		return -1;
	allow_for_limit(g);
	take_means(g);
	const struct root *r = limiting(g);
	c->verdict = CAPACITY_FOUND;
	c->replications = r ? r->n : 0;
	c->slope = r ? s->slope[c->limited_by].b : NAN;
	if (is_done) {
		c->stopped_by = STOP_PRECISION;
		s->is_over = 1;
	}
	return 0;
}
