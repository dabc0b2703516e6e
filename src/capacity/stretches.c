/* stretches.c -- Searches the capacity of a trace at its own times, which is
 * one draw and has no replications: its interval rests on stretches of its
 * time. */
#include <math.h>
#include <stdio.h>
#include "math/student.h"
#include "capacity/stages.h"

enum {
	MOST_STEPS = 40,
	CUT_ROWS = 20000, /* of longer traces parts say where to begin       */
	CUT_PARTS = 5,
	CUT_SHARE = 25, /* a part is one 25th of the rows                     */
};
#define CUT_STEP 1.4
#define CUT_WIDTH 0.03
/* Parts have no long queue, so the rate that they carry is too high. */
#define CUT_BIAS 0.1
#define WHOLE_STEP 0.08
#define WHOLE_WIDTH 0.01

/* A run of the trace. */
struct replay {
	double x; /* ln of the rate                                          */
	int is_met, was_cut;
	double f;     /* log excess of the worst bound                       */
	double error; /* its standard error, over stretches                  */
	int32_t bound;
	double half[2]; /* log excess of each half of the stretches          */
};

/* The log of a ratio of sums and its standard error (Cochran, Sampling
 * Techniques, 2.11). */
static void ratio_of(const struct excess_sum *s, size_t n, double *log_ratio,
		     double *error)
{
	double sum = 0, count = 0, squares = 0;
	for (size_t i = 0; i < n; i++) {
		sum += s[i].sum;
		count += s[i].n;
	}
	double ratio = count > 0 ? sum / count : 0;
	for (size_t i = 0; i < n; i++) {
		double off = s[i].sum - ratio * s[i].n;
		squares += off * off;
	}
	double k = (double)n;
	*log_ratio = log(fmax(ratio, 0.02));
	*error = ratio > 0 ? sqrt(k / (k - 1) * squares) / count / ratio : 0;
}

static void read_stretches(const struct run_result *r, struct replay *t)
{
	enum { HALF = EXCESS_STRETCHES / 2 };
	const struct excess_sum *s = r->excess.stretch[r->worst_bound];
	double unused;
	ratio_of(s, EXCESS_STRETCHES, &t->f, &t->error);
	ratio_of(s, HALF, &t->half[0], &unused);
	ratio_of(s + HALF, HALF, &t->half[1], &unused);
	t->is_met = r->worst <= 1 && !r->run.grows;
	if (!t->is_met && r->worst <= 1)
		t->bound = LIMITED_BY_SATURATION;
}

static int try_at(struct searching *g, double x, int stops_early,
		  struct replay *t)
{
	struct run_result r;
	const struct run_of of = {.rate = exp(x), .stops_early = stops_early};
	*t = (struct replay){.x = x};
	int rc = stage_run(g, &of, &r);
	if (rc == 0) {
		t->bound = (int32_t)r.worst_bound;
		t->was_cut = r.was_cut;
		t->f = log(r.worst); /* of a run that was cut, a guess       */
		if (!r.was_cut)
			read_stretches(&r, t);
		if (t->is_met || g->s->answer.simulations == 1)
			stage_describe(g, &r);
	}
	excess_free(&r.excess);
	return rc;
}

/* ---- parts of the trace ---- */

/* The worst mean excess over all parts, each from an empty start; at least
 * that, where the first parts exceed a bound for all of them. */
static int try_parts(struct searching *g, double x, uint64_t rows,
		     double *worst)
{
	struct excess_sum sum[CAPACITY_BOUNDS] = {0};
	uint64_t n = rows / CUT_SHARE;
	*worst = 0;
	for (uint64_t i = 0; i < CUT_PARTS && *worst <= 1; i++) {
		struct run_result r;
		const struct run_of of = {
		    .rate = exp(x),
		    .is_part = 1,
		    .part = {i * (rows - n) / (CUT_PARTS - 1), n}};
		int rc = stage_run(g, &of, &r);
		for (size_t k = 0; rc == 0 && k < g->task.bounds->n; k++) {
			sum[k].sum += r.excess.bound[k].sum;
			sum[k].n += r.excess.bound[k].n;
		}
		excess_free(&r.excess);
		if (rc < 0)
			return -1;
		/* A request of a part that comes later may score 0. */
		for (size_t k = 0; k < g->task.bounds->n; k++)
			*worst = fmax(
			    *worst,
			    sum[k].sum /
				(sum[k].n + (double)(n * (CUT_PARTS - 1 - i))));
	}
	return 0;
}

static int begin_by_parts(struct searching *g, uint64_t rows, double *x)
{
	double at = *x, low = 0, high = 0, worst;
	int has_low = 0, has_high = 0;
	for (int i = 0; i < MOST_STEPS; i++) {
		if (try_parts(g, at, rows, &worst) < 0)
			return -1;
		if (worst <= 1) {
			low = at;
			has_low = 1;
		} else {
			high = at;
			has_high = 1;
		}
		if (has_low && has_high && high - low <= CUT_WIDTH)
			break;
		at = has_low && has_high ? (low + high) / 2
		     : worst <= 1        ? at + log(CUT_STEP)
					 : at - log(CUT_STEP);
	}
	*x = (has_low ? low : at) - CUT_BIAS;
	return 0;
}

/* ---- the whole trace ---- */

/* The trace breaks a bound however slowly it comes: the answer tells how it
 * went at the lowest rate. */
static int none_meets(struct searching *g, const struct replay *t)
{
	struct run_result r;
	const struct run_of of = {.rate = exp(t->x)};
	int rc = stage_run(g, &of, &r);
	if (rc == 0) {
		stage_describe(g, &r);
		stage_none(g, t->bound);
	}
	excess_free(&r.excess);
	return rc;
}

/* Steps that double, until one rate is met and one is not. */
static int bracket(struct searching *g, double x, double step,
		   struct replay *low, struct replay *high)
{
	struct replay t;
	int has_low = 0, has_high = 0;
	for (int i = 0; i < MOST_STEPS && !(has_low && has_high); i++) {
		if (try_at(g, x, 1, &t) < 0)
			return -1;
		if (t.is_met) {
			*low = t;
			has_low = 1;
			x += step;
		} else {
			*high = t;
			has_high = 1;
			x -= step;
		}
		step = fmin(2 * step, log(2));
	}
	if (!has_high)
		return problem_set(
		    g->p, EXIT_USAGE,
		    "the bounds hold even if all %llu requests of the trace "
		    "come at once, so it tells no rate; give a longer trace, "
		    "or requests that are drawn",
		    (unsigned long long)g->rated.rows);
	return has_low ? 0 : none_meets(g, high);
}

/* Illinois: an end that stays twice counts half.  A bracket that one bisection
 * makes narrow enough is bisected. */
static int narrow(struct searching *g, struct replay *low, struct replay *high)
{
	struct replay t;
	int last = 0;
	double f_low = low->f, f_high = high->f;
	while (high->x > low->x + WHOLE_WIDTH) {
		double width = high->x - low->x;
		double x = (low->x + high->x) / 2;
		if (width > 2 * WHOLE_WIDTH && f_high > 0 && f_low < 0) {
			x = low->x + width * f_low / (f_low - f_high);
			x = fmin(fmax(x, low->x + WHOLE_WIDTH / 2),
				 high->x - WHOLE_WIDTH / 2);
		}
		if (try_at(g, x, 1, &t) < 0)
			return -1;
		if (t.is_met) {
			*low = t;
			f_low = t.f;
			f_high /= last < 0 ? 2 : 1;
			last = -1;
		} else {
			*high = t;
			f_high = t.f;
			f_low /= last > 0 ? 2 : 1;
			last = 1;
		}
	}
	return 0;
}

/* The rate at which log excess + sign * t * error crosses 0, beside the root:
 * by the slope, then by the line through the value there (Fieller). */
static int end_of(struct searching *g, const struct replay *root, double slope,
		  double sign, double *end)
{
	double t = student_two_sided(g->task.confidence, EXCESS_STRETCHES - 1);
	double at_root = root->f + sign * t * root->error;
	double x = root->x - at_root / slope;
	x = fmin(fmax(x, root->x - 1), root->x + 1);
	struct replay other;
	if (try_at(g, x, 0, &other) < 0)
		return -1;
	double there = other.f + sign * t * other.error;
	double rise = (there - at_root) / (x - root->x);
	*end = x;
	if (x != root->x && rise > 0.2)
		*end = root->x - at_root / rise;
	*end = fmin(fmax(*end, root->x - 1.5), root->x + 1.5);
	return 0;
}

/* Warns of a trace that is too short for a percentile, or that allows different
 * rates in its two halves. */
static void say(const struct searching *g, const struct replay *root,
		double slope)
{
	FILE *f = g->task.said;
	const struct bound *b = &g->task.bounds->bound[root->bound];
	double n = (double)g->s->answer.seen.requests;
	if (!f)
		return;
	if (b->percentile > 0 && n * (1 - b->percentile) < 100)
		fprintf(f,
			"warning: the trace is too short for a p%g: its "
			"interval is optimistic\n",
			100 * b->percentile);
	double first = exp(root->x - root->half[0] / slope);
	double second = exp(root->x - root->half[1] / slope);
	double t =
	    student_two_sided(g->task.confidence, EXCESS_STRETCHES / 2.0 - 1);
	/* A half has half as many stretches, and its error is larger by the
	 * root of two. */
	double apart = 2 * t * root->error * sqrt(2) / slope;
	if (fabs(log(first / second)) > apart)
		fprintf(f,
			"warning: the trace is not stationary: it allows %.3g "
			"requests/s in its first half, %.3g in its second\n",
			first, second);
}

/* The root between the ends. */
static double root_between(const struct replay *low, const struct replay *high)
{
	if (!(high->f > 0) || !(low->f < 0))
		return (low->x + high->x) / 2;
	return low->x + (high->x - low->x) * low->f / (low->f - high->f);
}

static int find_interval(struct searching *g, const struct replay *low,
			 const struct replay *high)
{
	struct capacity *c = &g->s->answer;
	double apart = high->x - low->x;
	double slope =
	    apart > 0 && !high->was_cut ? (high->f - low->f) / apart : 5;
	slope = fmin(fmax(slope, 0.5), 50);
	double a, z;
	const struct capacity described = *c;
	if (end_of(g, low, slope, 1, &a) < 0 ||
	    end_of(g, low, slope, -1, &z) < 0)
		return -1;
	uint64_t simulations = c->simulations;
	uint64_t simulated = c->requests_simulated;
	*c = described;
	c->simulations = simulations;
	c->requests_simulated = simulated;
	c->low = exp(fmin(a, log(c->request_rate)));
	c->high = exp(fmax(z, log(c->request_rate)));
	say(g, low, slope);
	return 0;
}

int stretches(struct searching *g)
{
	struct capacity *c = &g->s->answer;
	struct replay low = {0}, high = {0};
	double x =
	    log(g->task.first_rate > 0 ? g->task.first_rate : g->rated.base);
	int is_long = g->rated.rows >= CUT_ROWS;
	c->basis = BASIS_STRETCHES;
	if (stage_lengths(g) < 0)
		return -1;
	if (g->s->is_over)
		return 0;
	if (g->task.rate > 0)
		return least_fleet(g);
	if (is_long && begin_by_parts(g, g->rated.rows, &x) < 0)
		return -1;
	if (bracket(g, x, is_long ? WHOLE_STEP : log(2), &low, &high) < 0)
		return -1;
	if (g->s->is_over)
		return 0;
	if (narrow(g, &low, &high) < 0)
		return -1;
	c->verdict = CAPACITY_FOUND;
	c->request_rate = c->low = c->high = exp(root_between(&low, &high));
	c->replications = EXCESS_STRETCHES;
	if (!g->task.is_pessimistic && find_interval(g, &low, &high) < 0)
		return -1;
	c->limited_by = high.bound;
	c->stopped_by = STOP_TRACE;
	g->s->is_over = 1;
	return 0;
}
