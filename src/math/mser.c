/* mser.c -- Finds the initial transient of a series. */
#include "math/mser.h"

size_t mser_cut(const double *x, size_t n, int *steady)
{
	size_t m = n / MSER_BATCH, best = 0;
	double mean = 0, squares = 0, least = -1, count = 0;
	/* From the end on, by Welford's recurrence. */
	for (size_t d = m; d-- > 0;) {
		double z = 0;
		for (size_t i = 0; i < MSER_BATCH; i++)
			z += x[MSER_BATCH * d + i] / MSER_BATCH;
		double delta = z - mean;
		mean += delta / ++count;
		squares += delta * (z - mean);
		double error = squares / (count * count);
		if (d <= m / 2 && (least < 0 || error <= least)) {
			least = error;
			best = d;
		}
	}
	*steady = !m || best < m / 2;
	return MSER_BATCH * best;
}
