/* stretches.c -- Searches the capacity of a trace at its own times, which is
 * one draw and has no replications: its interval rests on stretches of its
 * time. */
#include <config.h>
#include <math.h>
#include <stdio.h>
#include "math/student.h"
#include "capacity/stages.h"

enum { MOST_DOUBLINGS = 20 };

/* A run of the trace. */
struct trial {
	double x; /* ln of the rate                                          */
	int is_met;
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

static int try_at(struct searching *g, double x, struct trial *t)
{
	struct run_result r;
	const struct run_of of = {
	    .rate = exp(x),
	    .said = g->s->answer.simulations ? NULL : g->task->said};
	double unused;
	*t = (struct trial){.x = x};
	int rc = stage_run(g, &of, &r);
	if (rc == 0) {
		const struct excess_sum *s = r.excess.stretch[r.worst_bound];
		enum { HALF = EXCESS_STRETCHES / 2 };
		t->bound = (int32_t)r.worst_bound;
		ratio_of(s, EXCESS_STRETCHES, &t->f, &t->error);
		ratio_of(s, HALF, &t->half[0], &unused);
		ratio_of(s + HALF, HALF, &t->half[1], &unused);
		t->is_met = r.worst <= 1 && !r.is_overloaded &&
			    r.unfinished == 0 && !stage_rejects(&r);
		if (!t->is_met && r.worst <= 1)
			t->bound = stage_rejects(&r) ? LIMITED_BY_REJECTION
						     : LIMITED_BY_SATURATION;
		if (t->is_met || g->s->answer.simulations == 1)
			stage_describe(g, &r);
		if (t->bound == LIMITED_BY_REJECTION)
			stage_none(g, &r, LIMITED_BY_REJECTION);
	}
	excess_free(&r.excess);
	return rc;
}

/* The trace breaks a bound however slowly it comes: the answer tells how it
 * went at the lowest rate. */
static int none_meets(struct searching *g, const struct trial *t)
{
	struct run_result r;
	const struct run_of of = {.rate = exp(t->x)};
	int rc = stage_run(g, &of, &r);
	if (rc == 0)
		stage_none(g, &r, t->bound);
	excess_free(&r.excess);
	return rc;
}

/* Doubles or halves the rate until one is met and one is not. */
static int bracket(struct searching *g, struct trial *low, struct trial *high)
{
	struct trial t;
	int has_low = 0, has_high = 0;
	double x = log(g->rated.base);
	for (int i = 0; i < MOST_DOUBLINGS && !(has_low && has_high); i++) {
		if (try_at(g, x, &t) < 0)
			return -1;
		if (g->s->is_over)
			return 0;
		if (t.is_met) {
			*low = t;
			has_low = 1;
			x += log(2);
		} else {
			*high = t;
			has_high = 1;
			x -= log(2);
		}
	}
	if (!has_high)
		*high = *low;
	return has_low ? 0 : none_meets(g, high);
}

static int bisect(struct searching *g, struct trial *low, struct trial *high)
{
	struct trial t;
	while (high->x > low->x + 0.005) {
		if (try_at(g, (low->x + high->x) / 2, &t) < 0)
			return -1;
		if (t.is_met)
			*low = t;
		else
			*high = t;
	}
	return 0;
}

/* The rate at which log excess + sign * t * error crosses 0, beside the root:
 * by the slope, then by the line through the value there (Fieller). */
static int end_of(struct searching *g, const struct trial *root, double slope,
		  double sign, double *end)
{
	double t = student_two_sided(g->task->confidence, EXCESS_STRETCHES - 1);
	double at_root = root->f + sign * t * root->error;
	double x = root->x - at_root / slope;
	x = fmin(fmax(x, root->x - 1), root->x + 1);
	struct trial other;
	if (try_at(g, x, &other) < 0)
		return -1;
	double there = other.f + sign * t * other.error;
	double rise = (there - at_root) / (x - root->x);
	*end = x;
	if (x != root->x && rise > 0.2)
		*end = root->x - at_root / rise;
	*end = fmin(fmax(*end, root->x - 1.5), root->x + 1.5);
	return 0;
}

static void say(const struct searching *g, const struct trial *root,
		double slope)
{
	FILE *f = g->task->said;
	const struct bound *b = &g->task->bounds->bound[root->bound];
	double n = (double)g->s->answer.requests;
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
	    student_two_sided(g->task->confidence, EXCESS_STRETCHES / 2.0 - 1);
	/* A half has half as many stretches, and its error is larger by the
	 * root of two. */
	double apart = 2 * t * root->error * sqrt(2) / slope;
	if (fabs(log(first / second)) > apart)
		fprintf(f,
			"warning: the trace is not stationary: it allows %.3g "
			"requests/s in its first half, %.3g in its second\n",
			first, second);
}

static int find_interval(struct searching *g, const struct trial *low,
			 const struct trial *high)
{
	struct capacity *c = &g->s->answer;
	double slope =
	    high->x > low->x ? (high->f - low->f) / (high->x - low->x) : 0;
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
	c->low = exp(fmin(a, low->x));
	c->high = exp(fmax(z, low->x));
	c->slope = slope;
	say(g, low, slope);
	return 0;
}

int stretches(struct searching *g)
{
	struct capacity *c = &g->s->answer;
	struct trial low = {0}, high = {0};
	c->basis = BASIS_STRETCHES;
	if (bracket(g, &low, &high) < 0)
		return -1;
	if (g->s->is_over)
		return 0;
	if (bisect(g, &low, &high) < 0)
		return -1;
	c->limited_by = high.bound;
	c->verdict = CAPACITY_FOUND;
	c->request_rate = c->low = c->high = exp(low.x);
	c->saturation_rate = c->slope = NAN;
	c->replications = EXCESS_STRETCHES;
	if (high.bound >= 0 && find_interval(g, &low, &high) < 0)
		return -1;
	c->limited_by = high.bound;
	c->stopped_by = STOP_TRACE;
	g->s->is_over = 1;
	return 0;
}
