/* math/eigen.h -- eigenvalues of small symmetric matrices, by Jacobi's
 * rotations (Golub and Van Loan, Matrix Computations, 8.5).  [any thread] */
#pragma once
#include <stddef.h>

enum { EIGEN_SIZE = 16 };

/* Returns the least eigenvalue of a symmetric matrix a[n][n], row by row, 1 <=
 * n
 * <= EIGEN_SIZE. */
double eigen_least(const double *a, size_t n);
