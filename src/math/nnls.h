/* math/nnls.h -- linear least squares with coefficients that are at least 0,
 * for few coefficients.  Every set of coefficients above 0 is solved by
 * modified Gram-Schmidt (Bjorck, 1967), and the best one with all of them above
 * 0 is the answer: the problem is convex, so that it is the optimum.  [any
 * thread] */
#pragma once
#include <stddef.h>

enum { NNLS_COLUMNS = 8 };

/* Minimises the sum of (sum_j a[j][i] x[j] - b[i])^2 over i < m with x >= 0;
 * a[n][m] by column, n <= NNLS_COLUMNS.  Columns that depend on others are
 * never used together with these.  Returns 0, or -1 if memory is out. */
int nnls(const double *a, const double *b, size_t n, size_t m, double *x);
