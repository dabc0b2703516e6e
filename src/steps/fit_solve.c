/* fit_solve.c -- Levenberg-Marquardt within bounds. */
#include "steps/fit_solve.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEP 1e-3    /* of a knob, for derivatives */
#define MOST_LOG 0.7 /* largest change of a logarithm in a round */
#define TOLERANCE 1e-10
enum { ROUNDS = 200 };

/* ---- knobs as parameters ---- */

static int is_log(const struct fit_solve *q, size_t k)
{
	return q->low[k] > 0;
}

static double within(const struct fit_solve *q, size_t k, double v)
{
	return fmax(q->low[k], fmin(q->high[k], v));
}

/* ---- the cost ---- */

static double loss(const struct fit_solve *q, double r)
{
	double s = q->soft_l1;
	return s > 0 ? 2 * s * s * (sqrt(1 + r * r / (s * s)) - 1) : r * r;
}

/* The weight that turns a square into the loss. */
static double bend(const struct fit_solve *q, double r)
{
	double s = q->soft_l1;
	return s > 0 ? 1 / sqrt(1 + r * r / (s * s)) : 1;
}

static double cost_of(const struct fit_solve *q, const double *r)
{
	double sum = 0;
	for (size_t i = 0; i < q->m; i++)
		sum += q->weight[i] * loss(q, r[i]);
	return isfinite(sum) ? sum : (double)INFINITY;
}

/* ---- derivatives ---- */

static double difference(const struct fit_solve *q, const double *x, size_t k)
{
	double size = x[k] != 0 ? fabs(x[k]) : fabs(q->start[k]);
	return STEP * (size > 0 ? size : 1);
}

int fit_derivatives(const struct fit_solve *q, const double *x, const double *r,
		    double *j, uint32_t *evaluations, struct problem *p)
{
	double at[FIT_KNOBS];
	double *other = calloc(q->m + 1, sizeof *other);
	int rc = other ? 0 : problem_no_memory(p);
	for (size_t k = 0; rc == 0 && k < q->n; k++) {
		double *column = j + k * q->m;
		double d = difference(q, x, k);
		double up = fmin(x[k] + d, q->high[k]);
		double down = fmax(x[k] - d, q->low[k]);
		memset(column, 0, q->m * sizeof *column);
		if (q->held[k] || !(up > down))
			continue;
		memcpy(at, x, q->n * sizeof *x);
		at[k] = up;
		if (up > x[k])
			rc = q->residuals(q->ctx, at, column, p);
		else
			memcpy(column, r, q->m * sizeof *r);
		at[k] = down;
		if (rc == 0 && down < x[k])
			rc = q->residuals(q->ctx, at, other, p);
		else
			memcpy(other, r, q->m * sizeof *r);
		*evaluations += (up > x[k] ? 1u : 0u) + (down < x[k] ? 1u : 0u);
		for (size_t i = 0; i < q->m; i++)
			column[i] = (column[i] - other[i]) / (up - down);
	}
	free(other);
	return rc;
}

int fit_linear(double *a, double *b, size_t n)
{
	for (size_t c = 0; c < n; c++) {
		size_t pivot = c;
		for (size_t i = c + 1; i < n; i++)
			if (fabs(a[i * n + c]) > fabs(a[pivot * n + c]))
				pivot = i;
		if (!(fabs(a[pivot * n + c]) > 0))
			return -1;
		for (size_t k = 0; k < n; k++) {
			double t = a[c * n + k];
			a[c * n + k] = a[pivot * n + k];
			a[pivot * n + k] = t;
		}
		double t = b[c];
		b[c] = b[pivot];
		b[pivot] = t;
		for (size_t i = c + 1; i < n; i++) {
			double f = a[i * n + c] / a[c * n + c];
			for (size_t k = c; k < n; k++)
				a[i * n + k] -= f * a[c * n + k];
			b[i] -= f * b[c];
		}
	}
	for (size_t c = n; c-- > 0;) {
		for (size_t k = c + 1; k < n; k++)
			b[c] -= a[c * n + k] * b[k];
		b[c] /= a[c * n + c];
	}
	return 0;
}

/* ---- a round ---- */

struct work {
	double *j, *trial;                             /* [n][m]; [m] */
	double h[FIT_KNOBS * FIT_KNOBS], g[FIT_KNOBS]; /* in parameters */
};

/* The gradient and the matrix of a quadratic around x. */
static void linearise(const struct fit_solve *q, struct work *w,
		      const double *x, const double *r)
{
	for (size_t a = 0; a < q->n; a++) {
		double scale_a = is_log(q, a) ? x[a] : 1;
		w->g[a] = 0;
		for (size_t i = 0; i < q->m; i++)
			w->g[a] += q->weight[i] * bend(q, r[i]) * r[i] *
				   w->j[a * q->m + i] * scale_a;
		for (size_t b = 0; b <= a; b++) {
			double sum = 0, scale_b = is_log(q, b) ? x[b] : 1;
			for (size_t i = 0; i < q->m; i++)
				sum += q->weight[i] * bend(q, r[i]) *
				       w->j[a * q->m + i] * w->j[b * q->m + i];
			w->h[a * q->n + b] = w->h[b * q->n + a] =
			    sum * scale_a * scale_b;
		}
	}
}

/* Lists the knobs that may move: not held, and not pushed against a bound. */
static size_t free_knobs(const struct fit_solve *q, const struct work *w,
			 const double *x, size_t *at)
{
	size_t n = 0;
	for (size_t k = 0; k < q->n; k++) {
		int at_low = x[k] <= q->low[k] && w->g[k] > 0;
		int at_high = x[k] >= q->high[k] && w->g[k] < 0;
		if (!q->held[k] && w->h[k * q->n + k] > 0 && !at_low &&
		    !at_high)
			at[n++] = k;
	}
	return n;
}

/* to[n]: x after a damped step.  Returns 0 if there is none. */
static int propose(const struct fit_solve *q, const struct work *w,
		   const double *x, double lambda, double *to)
{
	double a[FIT_KNOBS * FIT_KNOBS], b[FIT_KNOBS];
	size_t at[FIT_KNOBS], n = free_knobs(q, w, x, at);
	for (size_t i = 0; i < n; i++) {
		b[i] = -w->g[at[i]];
		for (size_t k = 0; k < n; k++)
			a[i * n + k] = w->h[at[i] * q->n + at[k]];
		a[i * n + i] *= 1 + lambda;
	}
	memcpy(to, x, q->n * sizeof *x);
	if (!n || fit_linear(a, b, n) < 0)
		return 0;
	for (size_t i = 0; i < n; i++) {
		size_t k = at[i];
		double move = b[i];
		if (is_log(q, k)) {
			move = fmax(-MOST_LOG, fmin(MOST_LOG, move));
			to[k] = within(q, k, x[k] * exp(move));
		} else {
			to[k] = within(q, k, x[k] + move);
		}
	}
	return memcmp(to, x, q->n * sizeof *x) != 0;
}

/* One round: the first damping that lowers the cost.  Returns 1 if it fell by
 * more than the tolerance, 0 if not, -1 with *p filled in. */
static int improve(const struct fit_solve *q, struct work *w, double *x,
		   double *r, double *lambda, struct fit_solved *out,
		   struct problem *p)
{
	double to[FIT_KNOBS];
	if (fit_derivatives(q, x, r, w->j, &out->evaluations, p) < 0)
		return -1;
	linearise(q, w, x, r);
	for (int tries = 0; tries < 12; tries++, *lambda *= 10) {
		if (!propose(q, w, x, *lambda, to))
			return 0;
		if (q->residuals(q->ctx, to, w->trial, p) < 0)
			return -1;
		out->evaluations++;
		double cost = cost_of(q, w->trial), before = out->cost;
		if (!(cost < before))
			continue;
		memcpy(x, to, q->n * sizeof *x);
		memcpy(r, w->trial, q->m * sizeof *r);
		out->cost = cost;
		*lambda = fmax(1e-12, *lambda / 30);
		return before - cost > TOLERANCE * before;
	}
	return 0;
}

int fit_solve(const struct fit_solve *q, double *x, double *r,
	      struct fit_solved *out, struct problem *p)
{
	struct work w = {.j = calloc(q->n * q->m + 1, sizeof *w.j),
			 .trial = calloc(q->m + 1, sizeof *w.trial)};
	double lambda = 1e-3;
	int more = 1;
	*out = (struct fit_solved){0};
	int rc = w.j && w.trial ? q->residuals(q->ctx, x, r, p)
				: problem_no_memory(p);
	out->evaluations = 1;
	if (rc == 0)
		out->cost = cost_of(q, r);
	if (rc == 0 && isinf(out->cost))
		rc = problem_set(p, EXIT_INPUT,
				 "the start cannot be priced on all steps");
	while (rc == 0 && more > 0 && out->rounds < ROUNDS) {
		more = improve(q, &w, x, r, &lambda, out, p);
		rc = more < 0 ? -1 : 0;
		out->rounds++;
		if (rc == 0 && q->progress)
			q->progress(q->ctx, out->rounds, out->cost);
	}
	free(w.j);
	free(w.trial);
	return rc;
}
