/* student.c -- Inverts Student's t distribution. */
#include "math/student.h"
#include <math.h>

/* The continued fraction of the incomplete beta function, by Lentz's method.
 * It converges fast for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1);
	d = 1 / (fabs(d) < tiny ? tiny : d);
	double h = d;
	for (int m = 1; m < 1000; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x /
			     ((a + 2 * m) * (a + 2 * m + 1));
		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		h *= d * c;
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		double change = d * c;
		h *= change;
		if (fabs(change - 1) < 1e-15)
			break;
	}
	return h;
}

/* The regularised incomplete beta function I_x(a, b); y is 1 - x. */
static double beta_share(double a, double b, double x, double y)
{
	if (x <= 0)
		return 0;
	if (y <= 0)
		return 1;
	int sign;
	double front = exp(lgamma_r(a + b, &sign) - lgamma_r(a, &sign) -
			   lgamma_r(b, &sign) + a * log(x) + b * log(y));
	return x < (a + 1) / (a + b + 2)
		   ? front * beta_fraction(a, b, x) / a
		   : 1 - front * beta_fraction(b, a, y) / b;
}

double student_outside(double t, double degrees)
{
	if (isinf(degrees))
		return erfc(t / sqrt(2));
	double whole = degrees + t * t;
	return beta_share(degrees / 2, 0.5, degrees / whole, t * t / whole);
}

double student_two_sided(double confidence, double degrees)
{
	double low = 0, high = 1;
	while (student_outside(high, degrees) > 1 - confidence && high < 1e300)
		high *= 2;
	for (int i = 0; i < 200 && high > low * (1 + 1e-12); i++) {
		double mid = (low + high) / 2;
		if (student_outside(mid, degrees) > 1 - confidence)
			low = mid;
		else
			high = mid;
	}
	return (low + high) / 2;
}

/* ---- means ---- */

/* The mean; *error: the square of its standard error. */
static double mean_of(const double *x, size_t n, double *error)
{
	double mean = 0, squares = 0;
	for (size_t i = 0; i < n; i++)
		mean += x[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (x[i] - mean) * (x[i] - mean);
	*error = squares / (double)(n - 1) / (double)n;
	return mean;
}

static struct student_mean test(double mean, double error, double degrees)
{
	struct student_mean m = {mean, 0, mean != 0 ? 0 : 1};
	if (!(error > 0))
		return m;
	m.half = student_two_sided(.95, degrees) * sqrt(error);
	m.p = student_outside(fabs(mean) / sqrt(error), degrees);
	return m;
}

struct student_mean student_mean(const double *x, size_t n)
{
	double error;
	if (n < 2)
		return (struct student_mean){n ? x[0] : (double)NAN,
					     (double)NAN, (double)NAN};
	double mean = mean_of(x, n, &error);
	return test(mean, error, (double)n - 1);
}

struct student_mean student_difference(const double *x, size_t n,
				       const double *y, size_t m)
{
	double a, b;
	if (n < 2 || m < 2)
		return (struct student_mean){(double)NAN, (double)NAN,
					     (double)NAN};
	double mean = mean_of(x, n, &a) - mean_of(y, m, &b);
	double degrees = (a + b) * (a + b) /
			 (a * a / ((double)n - 1) + b * b / ((double)m - 1));
	return test(mean, a + b, degrees);
}
