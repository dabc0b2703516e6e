/* math/leastsq.h -- nonlinear least squares: Levenberg-Marquardt with finite
 * differences for derivatives, bounds, a robust loss and a pull towards prior
 * values.  It fits kernel laws and knobs of cost models, and knows neither. */
#pragma once
#include <stdint.h>
#include "base/problem.h"

struct leastsq {
	uint32_t n_params, n_residuals;
	const double *min, *max; /* [n_params] bounds */
	double step;     /* finite difference for derivatives, absolute */
	double max_move; /* largest change of a parameter in one iteration */
	double robust;   /* scale of the soft L1 loss; 0: none */
	double huber; /* residual where the Huber loss turns linear; 0: none */
	double ridge; /* weight of (x - prior)^2 */
	const double *prior; /* [n_params]; NULL: the start values */
	uint32_t max_iterations;
	/* stop when the cost falls by less than this fraction */
	double tolerance;
	/* Computes residual[n_points][n_residuals] at x[n_points][n_params].
	 * It gets several points at once, so that they can be computed in
	 * parallel.  Returns 0, or -1 with *p filled in. */
	int (*residuals)(void *ctx, uint32_t n_points, const double *x,
			 double *residual, struct problem *p);
	/* Called after each iteration; may be NULL. */
	void (*progress)(void *ctx, uint32_t iteration, double cost);
	void *ctx;
};

/* x: the start values; on return the best ones.  *cost: sum of (robust)
 * squares, ridge included.  Returns 0, or -1 with *p filled in. */
int leastsq_fit(const struct leastsq *q, double *x, double *cost,
		struct problem *p);
