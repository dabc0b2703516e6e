/* law_fit.c -- Fits the constants of a law from several starts. */
#include "tables/law_fit.h"
#include <math.h>
#include <stdlib.h>
#include "math/leastsq.h"

enum { STARTS = 8 };
static const double huber = 0.15, pull = 1e-4;

/* ---- constants on the scale of a fit ---- */

static double moved(const struct sc_oplaw_constant *k, double c)
{
	if (k->most > 0)
		return log(c / (k->most - c));
	return log(c - k->least);
}

static double constant(const struct sc_oplaw_constant *k, double x)
{
	if (k->most > 0)
		return k->most / (1 + exp(-x));
	return k->least + exp(x);
}

static void set_constants(const struct law_fit *q, const double *x, double *c)
{
	for (uint32_t i = 0; i < q->n_constants; i++)
		c[i] = constant(&q->constant[i], x[i]);
}

/* ---- the fit ---- */

static int residuals(void *ctx, uint32_t n_points, const double *x, double *r,
		     struct problem *p)
{
	const struct law_fit *q = ctx;
	double c[LAW_FIT_CONSTANTS];
	(void)p;
	for (uint32_t i = 0; i < n_points; i++) {
		set_constants(q, x + i * q->n_constants, c);
		q->residuals(q->ctx, c, r + i * q->n);
	}
	return 0;
}

/* Sets start number i: the prior, or else a row of a design in which the
 * constants go up and down independently of each other (a Hadamard matrix). */
static void begin(double *x, const double *prior, uint32_t n, uint32_t i)
{
	for (uint32_t j = 0; j < n; j++) {
		int odd = __builtin_popcount(i & (j + 1)) & 1;
		x[j] = prior[j] + (i == 0 ? 0 : odd ? -1.5 : 1.5);
	}
}

static int mean_error_of(const struct law_fit *q, const double *c,
			 double *mean_error, struct problem *p)
{
	double sum = 0, *r = calloc(q->n, sizeof *r);
	if (!r)
		return problem_no_memory(p);
	q->residuals(q->ctx, c, r);
	for (uint64_t i = 0; i < q->n; i++)
		sum += fabs(exp(r[i]) - 1);
	*mean_error = sum / (double)q->n;
	free(r);
	return 0;
}

int law_fit(const struct law_fit *q, double *c, double *loss,
	    double *mean_error, struct problem *p)
{
	double x[LAW_FIT_CONSTANTS], prior[LAW_FIT_CONSTANTS],
	    min[LAW_FIT_CONSTANTS], max[LAW_FIT_CONSTANTS], cost;
	struct law_fit own = *q;
	struct leastsq solver = {.n_params = q->n_constants,
				 .n_residuals = (uint32_t)q->n,
				 .min = min,
				 .max = max,
				 .step = 1e-5,
				 .max_move = 1,
				 .huber = huber,
				 .ridge = 2 * pull * (double)q->n,
				 .prior = prior,
				 .max_iterations = 200,
				 .tolerance = 1e-8,
				 .residuals = residuals,
				 .ctx = &own};
	for (uint32_t i = 0; i < q->n_constants; i++) {
		prior[i] = moved(&q->constant[i], q->constant[i].start);
		min[i] = prior[i] - 20;
		max[i] = prior[i] + 20;
	}
	for (uint32_t i = 0; i < STARTS; i++) {
		begin(x, prior, q->n_constants, i);
		if (leastsq_fit(&solver, x, &cost, p) < 0)
			return -1;
		double mean = cost / (2 * (double)q->n);
		if (i > 0 && mean >= *loss)
			continue;
		*loss = mean;
		set_constants(q, x, c);
	}
	return mean_error_of(q, c, mean_error, p);
}
