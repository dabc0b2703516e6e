/* math/student.h -- quantiles and tails of Student's t distribution, for
 * confidence intervals of means of few samples.
 *
 * The tail of the distribution is the incomplete beta function (Abramowitz and
 * Stegun, 26.7.1), computed by its continued fraction (26.5.8) and inverted by
 * bisection.  Relative error below 1e-9.  [any thread] */
#ifndef SC_MATH_STUDENT_H
#define SC_MATH_STUDENT_H

/* Returns t with P(|T| <= t) = confidence for T with that many degrees of
 * freedom.  confidence is in (0, 1); degrees is above 0, INFINITY for the
 * normal distribution. */
double student_two_sided(double confidence, double degrees);
/* Returns P(|T| > t), t >= 0. */
double student_outside(double t, double degrees);
#endif
