/* math/student.h -- quantiles and tails of Student's t distribution, for
 * confidence intervals of means of few samples.
 *
 * The tail of the distribution is the incomplete beta function (Abramowitz and
 * Stegun, 26.7.1), computed by its continued fraction (26.5.8) and inverted by
 * bisection.  Relative error below 1e-9.  [any thread] */
#pragma once
#include <stddef.h>

/* Returns t with P(|T| <= t) = confidence for T with that many degrees of
 * freedom.  confidence is in (0, 1); degrees is above 0, INFINITY for the
 * normal distribution. */
double student_two_sided(double confidence, double degrees);
/* Returns P(|T| > t), t >= 0. */
double student_outside(double t, double degrees);

/* A mean with half of its 95 % interval, and the two-sided p-value of a mean of
 * 0.  Without spread half is 0, and p is 1 for a mean of 0 and 0 for others;
 * with fewer than two samples both are NaN. */
struct student_mean {
	double mean, half, p;
};
/* Returns mean, half of the confidence interval and p of n samples.  For paired
 * differences this is the paired t test. */
struct student_mean student_mean(const double *x, size_t n);
/* The same for the mean of x minus the mean of y, which are independent and
 * vary differently (Welch, 1947). */
struct student_mean student_difference(const double *x, size_t n,
				       const double *y, size_t m);
