/* own_coverage.c -- Counts how many measurements lie within a model's own
 * intervals. */
#include "math/own_coverage.h"
#include <math.h>
#include "math/statistics.h"

double normal_quantile(double coverage)
{
	/* Newton's method for erf(z / sqrt 2) = coverage */
	double z = 1;
	for (int i = 0; i < 60; i++) {
		double more = (erf(z / M_SQRT2) - coverage) /
			      (M_2_SQRTPI / M_SQRT2 * exp(-z * z / 2));
		z -= more;
		if (fabs(more) < 1e-15 * z)
			break;
	}
	return z;
}

double own_distance(double measured, double predicted, double sd)
{
	return fabs(log(measured / predicted)) * predicted / sd;
}

static double share_within(const double *distance, size_t n, double coverage)
{
	double z = normal_quantile(coverage);
	size_t within = 0;
	while (within < n && distance[within] <= z)
		within++;
	return (double)within / (double)n;
}

struct own_coverage own_coverage(double *distance, size_t n)
{
	struct own_coverage c = {.n = n};
	if (n == 0)
		return c;
	stats_sort(distance, n);
	c.share_50 = share_within(distance, n, 0.5);
	c.share_80 = share_within(distance, n, 0.8);
	c.share_90 = share_within(distance, n, 0.9);
	c.spread = stats_percentile(distance, n, 0.9) / normal_quantile(0.9);
	return c;
}
