/* refit.c -- Fits knobs to measured runs by simulating them. */
#include "validate/fit/refit.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "math/leastsq.h"

/* ---- knobs as parameters ---- */

static double to_parameter(const struct calibrated_knob *k, double v)
{
	return k->before > 0 ? log(v) : log1p(v);
}

double refit_value(const struct calibrated_knob *k, double x)
{
	double v = k->before > 0 ? exp(x) : expm1(x);
	return fmax(k->low, fmin(k->high, v));
}

double refit_max(const struct calibrated_knob *k)
{
	return to_parameter(k, k->high);
}

static double refit_min(const struct calibrated_knob *k)
{
	return to_parameter(k,
			    fmax(k->low, k->before > 0 ? k->before * 1e-4 : 0));
}

void refit_start(const struct refit *f, double *x)
{
	for (size_t i = 0; i < f->n; i++)
		x[i] = to_parameter(&f->knob[i], f->knob[i].before);
}

void refit_configured(const struct refit *f, double *x)
{
	for (size_t i = 0; i < f->n; i++)
		x[i] = to_parameter(&f->knob[i], f->knob[i].configured);
}

void refit_step(const struct refit *f, const double *x, size_t knob, double *to)
{
	const double step = 0.3;
	memcpy(to, x, f->n * sizeof *x);
	to[knob] += to[knob] + step > refit_max(&f->knob[knob]) ? -step : step;
}

/* ---- points that were simulated ---- */

/* Returns the index of a point in memory; memory.n: it is not there. */
static size_t find(const struct refit *f, const double *x)
{
	size_t i = 0;
	while (i < f->memory.n &&
	       memcmp(f->memory.x + i * f->n, x, f->n * sizeof *x))
		i++;
	return i;
}

const struct prediction *refit_recall(const struct refit *f, const double *x)
{
	return f->memory.prediction + find(f, x) * f->v->file->n;
}

/* Appends a point to the memory, with no prediction yet. */
static int remember(struct refit *f, const double *x, struct problem *p)
{
	size_t n = f->memory.n, rows = f->v->file->n;
	if (n == f->memory.cap) {
		size_t cap = n ? 2 * n : 64;
		double *xs = realloc(f->memory.x, cap * f->n * sizeof *xs);
		if (xs)
			f->memory.x = xs;
		struct prediction *ps =
		    realloc(f->memory.prediction, cap * rows * sizeof *ps);
		if (ps)
			f->memory.prediction = ps;
		if (!xs || !ps)
			return problem_no_memory(p);
		f->memory.cap = cap;
	}
	memcpy(f->memory.x + n * f->n, x, f->n * sizeof *x);
	memset(f->memory.prediction + n * rows, 0,
	       rows * sizeof *f->memory.prediction);
	f->memory.n++;
	return 0;
}

/* The points of memory from `first` on. */
static int simulate(struct refit *f, size_t first, struct problem *p)
{
	size_t n = f->n, fresh = f->memory.n - first;
	double *value = calloc(fresh * n, sizeof *value);
	if (!value)
		return problem_no_memory(p);
	for (size_t i = 0; i < fresh * n; i++)
		value[i] =
		    refit_value(&f->knob[i % n], f->memory.x[first * n + i]);
	struct knob_points k = {.arm = f->arm,
				.name = f->name,
				.n_knobs = n,
				.n_points = fresh,
				.value = value};
	int rc =
	    validation_ask(f->v, &k, f->validate,
			   f->memory.prediction + first * f->v->file->n, p);
	free(value);
	return rc;
}

int refit_learn(struct refit *f, uint32_t n_points, const double *x,
		struct problem *p)
{
	size_t first = f->memory.n;
	int rc = 0;
	for (uint32_t i = 0; rc == 0 && i < n_points; i++)
		if (find(f, x + i * f->n) == f->memory.n)
			rc = remember(f, x + i * f->n, p);
	if (rc == 0 && f->memory.n > first)
		rc = simulate(f, first, p);
	if (rc < 0)
		f->memory.n = first;
	return rc;
}

void refit_free(struct refit *f)
{
	free(f->memory.x);
	free(f->memory.prediction);
	memset(&f->memory, 0, sizeof f->memory);
}

/* ---- least squares ---- */

static double log_ratio(const struct refit *f, const struct prediction *is,
			size_t row, enum run_latency metric)
{
	double r = log(is[row].time[metric].of[STATISTIC_MEAN] /
		       f->v->file->row[row].time[metric].of[STATISTIC_MEAN]);
	return is[row].priced && isfinite(r) ? r : 0;
}

/* Returns log(predicted / measured) of TPOT and TTFT for each row, 0 for rows
 * that are left out. */
static int residuals(void *ctx, uint32_t n_points, const double *x, double *r,
		     struct problem *p)
{
	struct refit *f = ctx;
	size_t rows = f->v->file->n;
	if (refit_learn(f, n_points, x, p) < 0)
		return -1;
	for (uint32_t i = 0; i < n_points; i++) {
		const struct prediction *is = refit_recall(f, x + i * f->n);
		for (size_t row = 0; row < rows; row++) {
			int used = f->run_of[row] != SIZE_MAX &&
				   f->run_of[row] != f->left_out;
			double *to = r + (i * rows + row) * 2;
			to[0] = used ? log_ratio(f, is, row, RUN_TPOT) : 0;
			to[1] = used ? REFIT_TTFT_WEIGHT *
					   log_ratio(f, is, row, RUN_TTFT)
				     : 0;
		}
	}
	return 0;
}

static void on_progress(void *ctx, uint32_t iteration, double cost)
{
	const struct refit *f = ctx;
	if (f->progress)
		f->progress(f->user, f->what, iteration, cost);
}

int refit_solve(struct refit *f, double *x, uint32_t iterations,
		struct problem *p)
{
	double *bound = calloc(2 * f->n, sizeof *bound), cost;
	if (!bound)
		return problem_no_memory(p);
	for (size_t i = 0; i < f->n; i++) {
		bound[i] = refit_min(&f->knob[i]);
		bound[f->n + i] = refit_max(&f->knob[i]);
	}
	struct leastsq q = {.n_params = (uint32_t)f->n,
			    .n_residuals = (uint32_t)(2 * f->v->file->n),
			    .min = bound,
			    .max = bound + f->n,
			    .step = 0.03,
			    .max_move = 0.7,
			    .robust = 0.05,
			    .ridge = 1e-4,
			    .max_iterations = iterations,
			    .tolerance = 2e-3,
			    .residuals = residuals,
			    .progress = on_progress,
			    .ctx = f};
	int rc = leastsq_fit(&q, x, &cost, p);
	free(bound);
	return rc;
}
