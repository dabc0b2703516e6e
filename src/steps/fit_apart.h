/* steps/fit_apart.h -- which knobs measured steps tell apart: the directions in
 * which they change the residuals must differ.  [any thread] */
#pragma once
#include "steps/fit_solve.h"

/* Sets of knobs as bits. */
enum { FIT_SETS = 32 };
struct fit_apart {
	double
	    norm[FIT_KNOBS]; /* of the column, over the root of the weights */
	unsigned set[FIT_SETS]; /* not told apart, none within another */
	size_t n_sets;
};

/* j[n][m]: derivatives of the residuals in the logarithms of the knobs;
 * weight[m].  Only the knobs of `among` (bits) have a column.  Two columns with
 * |cosine| > 0.99 are not told apart, nor is a set if the least eigenvalue of
 * its matrix of cosines is below 1e-4. */
void fit_apart(struct fit_apart *to, const double *j, const double *weight,
	       size_t n, size_t m, unsigned among);
/* A column that is shorter has no effect. */
#define FIT_IDLE 1e-6
