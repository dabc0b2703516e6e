/* bootstrap.c -- Studentised bootstrap intervals of a mean or a difference of
 * means. */
#include "math/bootstrap.h"
#include <math.h>
#include <stdlib.h>
#include "math/rng.h"
#include "math/statistics.h"

enum { RESAMPLES = 4000, LEAST = 3 };

struct moments {
	double mean, variance; /* sample variance, divided by n − 1 */
};

/* Computes the moments of n draws with replacement; with rng NULL, of the
 * samples themselves. */
static struct moments sample(const double *x, size_t n, struct rng *rng)
{
	double sum = 0, squares = 0, first = n ? x[0] : 0;
	for (size_t i = 0; i < n; i++) {
		double v = x[rng ? rng_below(rng, n) : i] - first;
		sum += v;
		squares += v * v;
	}
	double mean = sum / (double)n;
	double variance = (squares - sum * mean) / (double)(n - 1);
	return (struct moments){mean + first, variance > 0 ? variance : 0};
}

/* Computes the interval from the resampled t values. */
static void from_t(struct interval *to, double *t, size_t n, double error)
{
	stats_sort(t, n);
	to->low = to->mean - t[(size_t)(0.975 * (double)(n - 1))] * error;
	to->high = to->mean - t[(size_t)(0.025 * (double)(n - 1))] * error;
}

static double squared_error(struct moments x, size_t n, struct moments y,
			    size_t m)
{
	return x.variance / (double)n + (m ? y.variance / (double)m : 0);
}

/* m = 0: the mean of x alone. */
static void resample(struct interval *to, const double *x, size_t n,
		     const double *y, size_t m, double error)
{
	double *t = malloc(RESAMPLES * sizeof *t);
	size_t k = 0;
	struct rng rng = rng_stream(0, RNG_BOOTSTRAP, 0);
	for (int i = 0; t && i < RESAMPLES; i++) {
		struct moments sx = sample(x, n, &rng), sy = {0, 0};
		if (m)
			sy = sample(y, m, &rng);
		double e = sqrt(squared_error(sx, n, sy, m));
		if (e > 0)
			t[k++] = (sx.mean - sy.mean - to->mean) / e;
	}
	if (k)
		from_t(to, t, k, error);
	free(t);
}

/* Returns the interval of the mean of x, or with m > 0 of its difference to
 * that of y. */
static struct interval interval(const double *x, size_t n, const double *y,
				size_t m)
{
	struct interval r = {.low = NAN, .high = NAN, .effect = NAN};
	struct moments sx = {n ? x[0] : 0, 0}, sy = {m ? y[0] : 0, 0};
	if (n > 1)
		sx = sample(x, n, NULL);
	if (m > 1)
		sy = sample(y, m, NULL);
	r.mean = sx.mean - sy.mean;
	double error = sqrt(squared_error(sx, n ? n : 1, sy, m));
	double spread = sqrt(m ? (sx.variance + sy.variance) / 2 : sx.variance);
	if (r.mean == 0 || spread > 0)
		r.effect = r.mean == 0 ? 0 : r.mean / spread;
	if (n < LEAST || (m && m < LEAST))
		return r;
	r.low = r.high = r.mean; /* all samples are equal: a width of zero */
	if (error > 0)
		resample(&r, x, n, y, m, error);
	r.distinguishable = r.low > 0 || r.high < 0;
	return r;
}

struct interval bootstrap_mean(const double *x, size_t n)
{
	return interval(x, n, NULL, 0);
}

struct interval bootstrap_difference(const double *x, size_t n, const double *y,
				     size_t m)
{
	return interval(x, n, y, m);
}
