/* steps/fit_solve.h -- least squares of a few knobs within bounds:
 * Levenberg-Marquardt (More, 1978) with central differences, projected on the
 * bounds.  A knob with a lower bound above 0 is fitted in its logarithm, others
 * in themselves.  For a model that is linear in its knobs the answer is that of
 * least squares within the bounds.  [any thread] */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "base/problem.h"

enum { FIT_KNOBS = 16 };

struct fit_solve {
	size_t n, m;                      /* knobs; residuals */
	const double *low, *high, *start; /* [n] */
	const int *held;                  /* [n] 1: stays where it is */
	const double *weight;             /* [m] */
	double soft_l1;                   /* scale of the loss; 0: squares */
	/* Computes residual[m] at the knobs x[n].  A point that the model
	 * cannot price has residuals that are NaN.  Returns 0, or -1 with *p
	 * filled in. */
	int (*residuals)(void *ctx, const double *x, double *residual,
			 struct problem *p);
	/* After each round; may be NULL. */
	void (*progress)(void *ctx, uint32_t round, double cost);
	void *ctx;
};
struct fit_solved {
	double cost; /* sum of weight · loss */
	uint32_t rounds, evaluations;
};

/* x[n]: the start, and on return the optimum; r[m]: the residuals there.
 * Returns 0, or -1 with *p filled in. */
int fit_solve(const struct fit_solve *q, double *x, double *r,
	      struct fit_solved *out, struct problem *p);
/* The derivatives of the residuals in the knobs themselves: j[n][m].  Returns
 * 0, or -1 with *p filled in. */
int fit_derivatives(const struct fit_solve *q, const double *x, const double *r,
		    double *j, uint32_t *evaluations, struct problem *p);
/* Solves a[n][n] x = b by elimination with pivots; a and b are overwritten, b
 * becomes x.  Returns 0, or -1 if the matrix is singular. */
int fit_linear(double *a, double *b, size_t n);
