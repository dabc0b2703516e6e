/* highest.c -- Finds the highest rate that a fleet carries: probes with one
 * seed, brackets with several, and replicates at both ends of the bracket. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "capacity/line.h"
#include "capacity/stages.h"

enum {
	/* Replications at both ends of the bracket.  The first three are
	 * enough if the interval is then half as wide as the user allows,
	 * unless requests reuse a cache, which varies more from seed to seed.
	 */
	FEW_NUMBERS = 3,
	FIRST_NUMBERS = 6,
	MOST_MOVES = 12,
	MOST_PROBES = 60,
};
#define PROBE_STEP 1.4
#define PROBE_WIDTH 1.045
#define JUMP_WIDTH 1.012

/* ---- one seed ---- */

/* Simulates the rate exp(x) and moves an end of the bracket there.  The run
 * also counts as the first replication at that end, if the later ones have as
 * many requests. */
static int probe_at(struct searching *g, double x, double *worst)
{
	struct run_result r;
	int rc = settle(g, exp(x), 0, &r);
	if (rc == 0) {
		*worst = run_worst(&r.run, g->task.bounds);
		stage_describe(g, &r);
		struct capacity_end *e = *worst <= 1 ? &g->s->low : &g->s->high;
		e->x = x;
		e->n = 1;
		e->probed = r.run.grows ? 0 : (uint32_t)g->s->requests;
		e->run[0] = r.run;
	}
	excess_free(&r.excess);
	return rc;
}

/* Brackets the highest rate: from x goes up or down in steps until one rate
 * holds and one does not, then halves.  The first x only says where to begin:
 * no end of the bracket is known. */
static int probe(struct searching *g, double x)
{
	struct capacity_search *s = g->s;
	int has_low = 0, has_high = 0;
	for (int i = 0; i < MOST_PROBES; i++) {
		double worst;
		if (probe_at(g, x, &worst) < 0)
			return -1;
		has_low |= worst <= 1;
		has_high |= worst > 1;
		double width = s->high.x - s->low.x;
		if (has_low && has_high && width <= log(PROBE_WIDTH))
			break;
		if (has_low && has_high)
			x = (s->low.x + s->high.x) / 2;
		else
			x += worst <= 1 ? log(PROBE_STEP) : -log(PROBE_STEP);
	}
	return has_low && has_high
		   ? 0
		   : problem_set(g->p, EXIT_USAGE,
				 "no rate was found at which the bounds begin "
				 "to break, from %.3g to %.3g requests/s",
				 exp(fmin(x, s->low.x)), exp(x));
}

/* ---- the bracket ---- */

/* Replicates the run at an end of the bracket until it has n of them. */
static int fill(struct searching *g, struct capacity_end *e, uint32_t n)
{
	while (e->n < n)
		if (stage_replicate(g, e, e->n + 1) < 0)
			return -1;
	return 0;
}

/* Moves the bracket by its own width until the bounds hold at the lower end on
 * average, and do not at the upper one. */
static int place(struct searching *g, uint32_t n)
{
	struct capacity_search *s = g->s;
	for (int moves = 0; moves <= MOST_MOVES; moves++) {
		double width = s->high.x - s->low.x;
		if (fill(g, &s->low, n) < 0)
			return -1;
		if (!line_holds(&s->low, g->task.bounds)) {
			s->high = s->low;
			s->low.x -= width;
			s->low.n = 0;
			continue;
		}
		if (fill(g, &s->high, n) < 0)
			return -1;
		if (!line_holds(&s->high, g->task.bounds))
			return 0;
		s->low = s->high;
		s->high.x += width;
		s->high.n = 0;
	}
	return 0;
}

/* Returns how much the logarithm of the worst excess rises in the bracket. */
static double rise(const struct searching *g)
{
	const struct capacity_search *s = g->s;
	double low = line_worst(&s->low, g->task.bounds, NULL);
	double high = line_worst(&s->high, g->task.bounds, NULL);
	return log(fmax(high, LINE_LEAST)) - log(fmax(low, LINE_LEAST));
}

/* Halves a bracket in which the excess jumps, until it does not, or the bracket
 * is so narrow that it is the answer. */
static int halve_keeping(struct searching *g, uint32_t n, double width,
			 struct capacity_end *old)
{
	struct capacity_search *s = g->s;
	while (rise(g) > LINE_JUMP && s->high.x - s->low.x > width) {
		double x = (s->low.x + s->high.x) / 2;
		struct capacity_end *to = &s->high;
		*old = *to;
		memset(to, 0, sizeof *to);
		to->x = x;
		if (fill(g, to, n) < 0)
			return -1;
		if (line_holds(to, g->task.bounds)) {
			s->low = *to;
			s->high = *old;
		}
	}
	s->is_jump = rise(g) > LINE_JUMP;
	return 0;
}

static int halve(struct searching *g, uint32_t n, double width)
{
	struct capacity_end *old = malloc(sizeof *old);
	int rc =
	    old ? halve_keeping(g, n, width, old) : problem_no_memory(g->p);
	free(old);
	return rc;
}

/* ---- the answer ---- */

/* The bound with the greatest excess at the upper end; saturation if every
 * replication that exceeds it there grows. */
static int32_t limit_of(const struct searching *g)
{
	const struct capacity_end *e = &g->s->high;
	uint32_t bound = 0, n = 0, grown = 0;
	line_worst(e, g->task.bounds, &bound);
	for (uint32_t i = 0; i < e->n; i++) {
		int exceeds = run_excess(&e->run[i], bound) > 1;
		n += (uint32_t)exceeds;
		grown += exceeds && e->run[i].grows;
	}
	return n && grown == n ? LIMITED_BY_SATURATION : (int32_t)bound;
}

/* Means over the replications at both ends. */
static void take_means(struct searching *g)
{
	const struct capacity_search *s = g->s;
	struct capacity *c = &g->s->answer;
	double n = s->low.n + s->high.n, joules = 0, hits = 0;
	c->seen.requests = c->seen.completed = c->seen.rejected = 0;
	for (uint32_t k = 0; k < g->task.bounds->n; k++)
		c->seen.value[k] = 0;
	for (int end = 0; end < 2; end++) {
		const struct capacity_end *e = end ? &s->high : &s->low;
		for (uint32_t i = 0; i < e->n; i++) {
			const struct capacity_run *r = &e->run[i];
			joules += r->joules_per_token / n;
			hits += r->hit_rate / n;
			c->seen.requests += r->requests;
			c->seen.completed += r->completed;
			c->seen.rejected += r->rejected;
			for (uint32_t k = 0; k < g->task.bounds->n; k++)
				c->seen.value[k] += r->value[k] / n;
		}
	}
	c->seen.joules_per_token = joules;
	c->seen.hit_rate = hits;
}

static void take_interval(struct searching *g)
{
	const struct capacity_search *s = g->s;
	struct capacity *c = &g->s->answer;
	int has_cycles = rated_has_cycles(&g->rated);
	double shift = line_shift(s, has_cycles, 0);
	struct line_root at =
	    line_least(s, g->task.bounds, g->task.confidence, has_cycles, 0);
	/* Where the excess jumps, no line leads through the bracket: the
	 * answer is its middle, and the interval has the whole bracket. */
	if (s->is_jump)
		at = (struct line_root){(s->low.x + s->high.x) / 2 + shift,
					fmin(at.low, s->low.x + shift),
					fmax(at.high, s->high.x + shift)};
	if (!g->is_random)
		at = (struct line_root){s->low.x, s->low.x, s->low.x};
	c->verdict = CAPACITY_FOUND;
	c->request_rate = exp(at.x);
	c->low = exp(at.low);
	c->high = exp(at.high);
	c->limited_by = limit_of(g);
	c->replications = s->low.n < s->high.n ? s->low.n : s->high.n;
	take_means(g);
}

/* What ends the search before more replications at both ends. */
static enum capacity_stop stop_before(const struct searching *g, uint32_t n,
				      double half_width)
{
	const struct capacity_search *s = g->s;
	int are_few = n <= FIRST_NUMBERS;
	if (capacity_half_width(&s->answer) <=
		(are_few ? half_width / 2 : half_width) ||
	    !g->is_random)
		return STOP_PRECISION;
	if (are_few)
		return STOP_NOT_YET;
	if (n > CAPACITY_RUNS)
		return STOP_RUNS;
	uint64_t costs = 2 * (uint64_t)(n - s->low.n) * s->requests;
	return s->answer.requests_simulated + costs > g->task.request_limit
		   ? STOP_LIMIT
		   : STOP_NOT_YET;
}

int highest_refine(struct searching *g, double half_width)
{
	struct capacity_search *s = g->s;
	uint32_t n = !g->is_random  ? 1
		     : g->has_reuse ? FIRST_NUMBERS
				    : FEW_NUMBERS;
	double width = g->is_random ? log(JUMP_WIDTH) : g->task.precision / 10;
	s->low.n = s->low.probed == s->requests;
	s->high.n = s->high.probed == s->requests;
	for (;;) {
		if (place(g, n) < 0 || halve(g, n, width) < 0)
			return -1;
		take_interval(g);
		uint32_t more = n == FEW_NUMBERS        ? FEW_NUMBERS
				: n > 2 * FIRST_NUMBERS ? n / 2
							: FIRST_NUMBERS;
		enum capacity_stop stop = stop_before(g, n + more, half_width);
		if (stop != STOP_NOT_YET) {
			s->answer.stopped_by = stop;
			s->is_over = 1;
			return 0;
		}
		n += more;
	}
}

/* Narrows the bracket by bisection, with one run at each rate: without random
 * numbers every run of a rate is the same. */
static int narrow(struct searching *g, double width)
{
	struct capacity_search *s = g->s;
	while (s->high.x - s->low.x > width) {
		double worst;
		if (probe_at(g, (s->low.x + s->high.x) / 2, &worst) < 0)
			return -1;
	}
	return 0;
}

int highest(struct searching *g)
{
	struct capacity_search *s = g->s;
	double per_s = g->task.first_rate;
	if (stage_lengths(g) < 0 || s->is_over)
		return s->is_over ? 0 : -1;
	if (stage_units(g, g->s->answer.units) < 0)
		return -1;
	if (!(per_s > 0) && stage_at_once(g, &per_s) < 0)
		return -1;
	if (!(per_s > 0) || !isfinite(per_s)) {
		stage_none(g, LIMITED_BY_REJECTION);
		return 0;
	}
	if (stage_unloaded(g, per_s) < 0 || s->is_over)
		return s->is_over ? 0 : -1;
	double begin = g->task.first_rate > 0 ? per_s : per_s / 2;
	if (probe(g, log(begin)) < 0)
		return -1;
	if (!g->is_random && narrow(g, g->task.precision / 10) < 0)
		return -1;
	uint64_t n = DECISIVE_LEAST;
	if (n < g->task.least_requests)
		n = g->task.least_requests;
	if (g->has_reuse)
		n = (uint64_t)fmax(
		    (double)n,
		    fmin(REUSE_LEAST_S * exp(s->high.x), SETTLE_MOST));
	if (g->is_random && s->requests < n)
		s->requests = n;
	return 0;
}
