/* eigen.c -- Rotates a symmetric matrix until it is diagonal. */
#include "math/eigen.h"
#include <math.h>
#include <string.h>

/* Rotates rows and columns p and q so that m[p][q] becomes 0. */
static void rotate(double *m, size_t n, size_t p, size_t q)
{
	double theta = (m[q * n + q] - m[p * n + p]) / (2 * m[p * n + q]);
	double t =
	    (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
	double c = 1 / sqrt(t * t + 1), s = t * c;
	for (size_t k = 0; k < n; k++) {
		double a = m[k * n + p], b = m[k * n + q];
		m[k * n + p] = c * a - s * b;
		m[k * n + q] = s * a + c * b;
	}
	for (size_t k = 0; k < n; k++) {
		double a = m[p * n + k], b = m[q * n + k];
		m[p * n + k] = c * a - s * b;
		m[q * n + k] = s * a + c * b;
	}
}

double eigen_least(const double *a, size_t n)
{
	double m[EIGEN_SIZE * EIGEN_SIZE], least;
	memcpy(m, a, n * n * sizeof *a);
	for (int sweep = 0; sweep < 60; sweep++) {
		double off = 0;
		for (size_t p = 0; p < n; p++)
			for (size_t q = p + 1; q < n; q++) {
				off = fmax(off, fabs(m[p * n + q]));
				if (fabs(m[p * n + q]) > 1e-300)
					rotate(m, n, p, q);
			}
		if (off < 1e-15)
			break;
	}
	least = m[0];
	for (size_t i = 1; i < n; i++)
		least = fmin(least, m[i * n + i]);
	return least;
}
