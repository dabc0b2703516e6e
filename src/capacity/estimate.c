/* estimate.c -- Fits slope and root to replications. */
#include <config.h>
#include "capacity/estimate.h"
#include <math.h>
#include "math/student.h"

/* ---- the slope ---- */

/* The slope of all pairs but one; without: n leaves none out. */
static double slope_without(const struct replicate *r, size_t n, size_t without)
{
	double low = 0, high = 0, apart = 0;
	for (size_t i = 0; i + 1 < n; i += 2) {
		if (i == without)
			continue;
		low += r[i].excess;
		high += r[i + 1].excess;
		apart = r[i + 1].log_rate - r[i].log_rate;
	}
	/* A single exceedance below is the least that can be told from none. */
	return low > 0 && high > 0 ? log(high / low) / apart : NAN;
}

int slope_of_pairs(const struct replicate *r, size_t n, struct slope *s,
		   int *is_flat)
{
	size_t pairs = n / 2, told = 0;
	double b = slope_without(r, n, n), mean = 0, squares = 0;
	*is_flat = 0;
	if (isnan(b))
		return 0;
	for (size_t i = 0; i + 1 < n; i += 2) {
		double x = slope_without(r, n, i);
		if (isnan(x))
			continue;
		told++;
		double d = x - mean;
		mean += d / (double)told;
		squares += d * (x - mean);
	}
	double least = SLOPE_LEAST_TENTHS / 10.0;
	double error = told == pairs && pairs > 1
			   ? sqrt((double)(pairs - 1) / (double)pairs * squares)
			   : fabs(b);
	*is_flat = b < least;
	s->b = b > least ? b : least;
	s->error = error / s->b;
	return 1;
}

/* ---- the root ---- */

static int is_near(const struct replicate *r, double center)
{
	return fabs(r->log_rate - center) <= ROOT_WIDTH;
}

/* The excess carried along the line to the center. */
static double carried(const struct replicate *r, double center, double b)
{
	return r->excess * exp(-b * (r->log_rate - center));
}

/* The value of replication i: of a pair, which stands side by side, the mean,
 * told by its first.  Returns 0 for its second and for replications
 * far away. */
static int value_at(const struct replicate *r, size_t n, size_t i,
		    double center, double b, double *v)
{
	if (!is_near(&r[i], center))
		return 0;
	if (i > 0 && r[i - 1].number == r[i].number &&
	    is_near(&r[i - 1], center))
		return 0;
	*v = carried(&r[i], center, b);
	if (i + 1 < n && r[i + 1].number == r[i].number &&
	    is_near(&r[i + 1], center))
		*v = (*v + carried(&r[i + 1], center, b)) / 2;
	return 1;
}

int root_of(const struct replicate *r, size_t n, double center,
	    const struct slope *s, struct root *out)
{
	double mean = 0, squares = 0, log_rates = 0, v;
	size_t simulations = 0;
	*out = (struct root){0};
	for (size_t i = 0; i < n; i++) {
		if (is_near(&r[i], center)) {
			log_rates += r[i].log_rate;
			simulations++;
		}
		if (!value_at(r, n, i, center, s->b, &v))
			continue;
		out->n++;
		double d = v - mean;
		mean += d / out->n;
		squares += d * (v - mean);
	}
	if (out->n < 2 || !(mean > 0))
		return 0;
	double error = s->error < 0.9 ? s->error : 0.9;
	out->mean = mean;
	out->variation = sqrt(squares / (out->n - 1)) / mean;
	out->log_rate = center - log(mean) / s->b;
	out->off = out->log_rate - log_rates / (double)simulations;
	/* A slope that is too steep by chance would end the search too soon,
	 * so the error is divided by 1 - error. */
	out->sampled = out->variation / sqrt(out->n) / s->b / (1 - error);
	out->tilted = out->off * error;
	return 1;
}

int root_influence(const struct replicate *r, size_t n, double center,
		   const struct slope *s, const struct root *root,
		   uint32_t number, double *u)
{
	double v;
	for (size_t i = 0; i < n; i++)
		if (r[i].number == number &&
		    value_at(r, n, i, center, s->b, &v)) {
			*u = -(v / root->mean - 1) / s->b;
			return 1;
		}
	return 0;
}

double root_half_width(const struct root *r, double confidence)
{
	return student_two_sided(confidence, r->n - 1.0) *
	       hypot(r->sampled, r->tilted);
}
