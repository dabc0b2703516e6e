/* leastsq.c -- Levenberg-Marquardt with bounds, a robust loss and priors. */
#include "math/leastsq.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Dampings that one iteration tries side by side, as multiples of the last one
 * that worked. */
static const double damping[] = {0.1, 1, 10, 100};
#define N_DAMPING (sizeof damping / sizeof *damping)

struct work {
	double *x;            /* [points][n] */
	double *r, *points_r; /* [m]; [points][m] */
	double *jacobian;     /* [n][m] */
	double *normal, *gradient, *system, *move;
	const double *prior;
	double widen; /* factor on q->step, the difference for derivatives */
};

static double loss(const struct leastsq *q, double r)
{
	double s = q->robust, d = q->huber;
	if (s > 0)
		return 2 * s * s * (sqrt(1 + r * r / (s * s)) - 1);
	return d > 0 && fabs(r) > d ? d * (2 * fabs(r) - d) : r * r;
}

/* Returns the weight that turns a square into the robust loss: loss'(r) /
 * 2r. */
static double weight(const struct leastsq *q, double r)
{
	double s = q->robust, d = q->huber;
	if (s > 0)
		return 1 / sqrt(1 + r * r / (s * s));
	return d > 0 && fabs(r) > d ? d / fabs(r) : 1;
}

static double cost_of(const struct leastsq *q, const struct work *w,
		      const double *x, const double *r)
{
	double sum = 0;
	for (uint32_t i = 0; i < q->n_residuals; i++)
		sum += loss(q, r[i]);
	for (uint32_t j = 0; j < q->n_params; j++)
		sum += q->ridge * (x[j] - w->prior[j]) * (x[j] - w->prior[j]);
	return isfinite(sum) ? sum : INFINITY;
}

/* Returns the difference for a derivative; it points inwards at an upper
 * bound. */
static double difference(const struct leastsq *q, const struct work *w,
			 const double *x, uint32_t j)
{
	double step = q->step * w->widen;
	return x[j] + step > q->max[j] ? -step : step;
}

/* Computes the Jacobian by finite differences, and the gradient and the normal
 * matrix of Gauss and Newton. */
static int linearise(const struct leastsq *q, struct work *w, const double *x,
		     struct problem *p)
{
	uint32_t n = q->n_params, m = q->n_residuals;
	for (uint32_t j = 0; j < n; j++) {
		memcpy(w->x + j * n, x, n * sizeof *x);
		w->x[j * n + j] += difference(q, w, x, j);
	}
	if (q->residuals(q->ctx, n, w->x, w->points_r, p) < 0)
		return -1;
	for (uint32_t j = 0; j < n; j++)
		for (uint32_t i = 0; i < m; i++)
			w->jacobian[j * m + i] =
			    (w->points_r[j * m + i] - w->r[i]) /
			    difference(q, w, x, j);
	for (uint32_t a = 0; a < n; a++) {
		w->gradient[a] = -q->ridge * (x[a] - w->prior[a]);
		for (uint32_t i = 0; i < m; i++)
			w->gradient[a] -= weight(q, w->r[i]) * w->r[i] *
					  w->jacobian[a * m + i];
		for (uint32_t b = 0; b < n; b++) {
			double sum = a == b ? q->ridge : 0;
			for (uint32_t i = 0; i < m; i++)
				sum += weight(q, w->r[i]) *
				       w->jacobian[a * m + i] *
				       w->jacobian[b * m + i];
			w->normal[a * n + b] = sum;
		}
	}
	return 0;
}

/* Gaussian elimination with pivots; a parameter without influence stays as it
 * is. */
static void solve(uint32_t n, double *a, double *b)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t pivot = i;
		for (uint32_t r = i; r < n; r++)
			if (fabs(a[r * n + i]) > fabs(a[pivot * n + i]))
				pivot = r;
		for (uint32_t c = 0; c < n && pivot != i; c++) {
			double t = a[i * n + c];
			a[i * n + c] = a[pivot * n + c];
			a[pivot * n + c] = t;
		}
		double t = b[i];
		b[i] = b[pivot];
		b[pivot] = t;
		if (!(fabs(a[i * n + i]) > 1e-300)) {
			a[i * n + i] = 1;
			b[i] = 0;
			continue;
		}
		for (uint32_t r = 0; r < n; r++) {
			double f = r == i ? 0 : a[r * n + i] / a[i * n + i];
			for (uint32_t c = i; c < n && f != 0; c++)
				a[r * n + c] -= f * a[i * n + c];
			b[r] -= f * b[i];
		}
	}
	for (uint32_t i = 0; i < n; i++)
		b[i] /= a[i * n + i];
}

static void step(const struct leastsq *q, struct work *w, const double *x,
		 double lambda, double *to)
{
	uint32_t n = q->n_params;
	memcpy(w->system, w->normal, n * n * sizeof *w->system);
	memcpy(w->move, w->gradient, n * sizeof *w->move);
	for (uint32_t j = 0; j < n; j++)
		w->system[j * n + j] += lambda * w->normal[j * n + j] + 1e-12;
	solve(n, w->system, w->move);
	for (uint32_t j = 0; j < n; j++) {
		double d = fmax(-q->max_move, fmin(q->max_move, w->move[j]));
		to[j] = fmax(q->min[j], fmin(q->max[j], x[j] + d));
	}
}

/* Does one iteration.  Returns 1 if the cost fell, 0 if no damping helped, or
 * -1 with *p filled in. */
static int improve(const struct leastsq *q, struct work *w, double *x,
		   double *cost, double *lambda, struct problem *p)
{
	uint32_t n = q->n_params, m = q->n_residuals;
	double least = *cost, from = *lambda;
	int best = -1;
	if (linearise(q, w, x, p) < 0)
		return -1;
	for (size_t i = 0; i < N_DAMPING; i++)
		step(q, w, x, from * damping[i], w->x + i * n);
	if (q->residuals(q->ctx, N_DAMPING, w->x, w->points_r, p) < 0)
		return -1;
	for (size_t i = 0; i < N_DAMPING; i++) {
		double c = cost_of(q, w, w->x + i * n, w->points_r + i * m);
		if (c < least) {
			least = c;
			best = (int)i;
		}
	}
	if (best < 0) {
		/* The derivatives may have been noise, so use larger
		 * differences. */
		w->widen *= 2;
		*lambda = fmax(from, 0.1);
		return 0;
	}
	memcpy(x, w->x + (size_t)best * n, n * sizeof *x);
	memcpy(w->r, w->points_r + (size_t)best * m, m * sizeof *w->r);
	*lambda = fmax(1e-9, from * damping[best]);
	*cost = least;
	return 1;
}

/* Improves x (Levenberg-Marquardt) until the cost hardly falls. */
static int iterate(const struct leastsq *q, struct work *w, double *x,
		   double *cost, struct problem *p)
{
	double lambda = 1e-2;
	if (q->residuals(q->ctx, 1, x, w->r, p) < 0)
		return -1;
	*cost = cost_of(q, w, x, w->r);
	for (uint32_t i = 0; i < q->max_iterations; i++) {
		double before = *cost;
		int better = improve(q, w, x, cost, &lambda, p);
		if (better < 0)
			return -1;
		if (q->progress)
			q->progress(q->ctx, i + 1, *cost);
		if ((better && before - *cost <= q->tolerance * before) ||
		    w->widen > 8)
			break;
	}
	return 0;
}

int leastsq_fit(const struct leastsq *q, double *x, double *cost,
		struct problem *p)
{
	size_t n = q->n_params, m = q->n_residuals;
	size_t points = n > N_DAMPING ? n : N_DAMPING;
	size_t doubles = points * (n + m) + m + n * m + 2 * n * n + 3 * n;
	double *block = calloc(doubles, sizeof *block);
	struct work w = {.x = block, .widen = 1};
	if (!block)
		return problem_no_memory(p);
	w.points_r = w.x + points * n;
	w.r = w.points_r + points * m;
	w.jacobian = w.r + m;
	w.normal = w.jacobian + n * m;
	w.system = w.normal + n * n;
	w.gradient = w.system + n * n;
	w.move = w.gradient + n;
	w.prior = q->prior;
	if (!w.prior) /* copy the start, because x changes */
		w.prior = memcpy(w.move + n, x, n * sizeof *x);
	int rc = iterate(q, &w, x, cost, p);
	free(block);
	return rc;
}
