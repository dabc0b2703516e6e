/* math/bootstrap.h -- how sure a mean, or a difference of means, is: 95 %
 * confidence intervals by the studentised bootstrap.  It holds its level also
 * for a handful of samples, where the plain bootstrap is too narrow.
 *
 * Resampling uses a random stream of its own, so the same samples always give
 * the same interval.  [one thread]; no printing. */
#pragma once
#include <stddef.h>

struct interval {
	double mean;      /* mean of x, or of x minus mean of y */
	double low, high; /* 95 % interval; NaN: fewer than three samples */
	/* The mean in standard deviations; NaN: the deviation is zero and the
	 * mean is not. */
	double effect;
	int distinguishable; /* 1: the interval excludes zero */
};

/* For paired differences: each x[i] belongs to one seed. */
struct interval bootstrap_mean(const double *x, size_t n);
/* For two independent sets of samples. */
struct interval bootstrap_difference(const double *x, size_t n, const double *y,
				     size_t m);
