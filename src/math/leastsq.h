/* math/leastsq.h -- nonlinear least squares: Levenberg-Marquardt with
 * differences for derivatives, bounds, a robust loss and a pull towards prior
 * values. Serves fits of kernel laws and of cost-model knobs; knows neither. */
#ifndef SC_MATH_LEASTSQ_H
#define SC_MATH_LEASTSQ_H
#include <stdint.h>
#include "base/problem.h"

struct leastsq {
	uint32_t n_params, n_residuals;
	const double *min, *max; /* [n_params] bounds                        */
	double step;     /* of a difference, absolute                        */
	double max_move; /* of a parameter in one iteration                  */
	double robust;   /* scale of soft L1, 0: none                        */
	double huber;    /* squares turn linear here, 0: they do not         */
	double ridge;    /* weight of (x - prior)^2                          */
	const double *prior; /* [n_params] NULL: the start                   */
	uint32_t max_iterations;
	double tolerance; /* stop when the cost falls by less, relative      */
	/* residual[n_points][n_residuals] at x[n_points][n_params]: several
	 * points at once, so that they can be computed side by side.
	 * 0, or -1 with *p. */
	int (*residuals)(void *ctx, uint32_t n_points, const double *x,
			 double *residual, struct problem *p);
	/* May be NULL. */
	void (*progress)(void *ctx, uint32_t iteration, double cost);
	void *ctx;
};

/* x: start in, best out.  *cost: sum of (robust) squares with the ridge.
 * 0, or -1 with *p. */
int leastsq_fit(const struct leastsq *q, double *x, double *cost,
		struct problem *p);
#endif
