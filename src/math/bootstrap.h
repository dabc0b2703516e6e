/* math/bootstrap.h -- how sure a mean, or a difference of means, is: 95 %
 * intervals by the studentised bootstrap, which keeps its promise also for a
 * handful of samples, where the plain one is too narrow.
 *
 * Resampling draws from a stream of its own, so the same samples always give
 * the same interval.  [one thread]; no printing. */
#ifndef SC_MATH_BOOTSTRAP_H
#define SC_MATH_BOOTSTRAP_H
#include <stddef.h>

struct interval {
	double mean;      /* of x, or of x minus that of y                   */
	double low, high; /* 95 %; NaN: fewer than three samples             */
	double effect;    /* mean in standard deviations; NaN: those are zero
			     and the mean is not                             */
	int distinguishable; /* the interval does not hold zero              */
};

/* Of paired differences: x[i] belong to one seed each. */
struct interval bootstrap_mean(const double *x, size_t n);
/* Of two independent sets. */
struct interval bootstrap_difference(const double *x, size_t n, const double *y,
				     size_t m);
#endif
