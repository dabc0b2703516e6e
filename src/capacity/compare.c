/* compare.c -- Compares two searches by their common replications. */
#include <config.h>
#include "capacity/compare.h"
#include <math.h>
#include "math/student.h"

const char *const comparison_verdict_name[] = {"alike", "differ",
					       "cannot tell"};

/* What a comparison needs of a search. */
struct side {
	const struct capacity_search *s;
	const struct root *root; /* NULL: no bound limits the rate           */
	const struct slope *slope;
	size_t n;
	struct replicate r[CAPACITY_RUNS];
};

static void side_of(struct side *x, const struct capacity_search *s)
{
	int32_t i = s->answer.limited_by;
	*x = (struct side){.s = s};
	if (i < 0 || s->root[i].n < 2)
		return;
	x->root = &s->root[i];
	x->slope = &s->slope[i];
	for (uint32_t k = 0; k < s->n; k++)
		x->r[x->n++] = (struct replicate){
		    s->run[k].log_rate, s->run[k].excess[i], s->run[k].number};
}

static int influence(const struct side *x, uint32_t number, double *u)
{
	/* Any center serves: a common factor of all excesses cancels. */
	struct root at;
	double center = x->s->log_rate;
	return root_of(x->r, x->n, center, x->slope, &at) &&
	       root_influence(x->r, x->n, center, x->slope, &at, number, u);
}

/* The correlation of both influences over the numbers that both have. */
static double correlation(const struct side *a, const struct side *b,
			  uint32_t *common)
{
	double ab = 0, aa = 0, bb = 0, sum_a = 0, sum_b = 0, u, v, n = 0;
	for (uint32_t i = 1; i <= a->s->n_numbers; i++) {
		if (!influence(a, i, &u) || !influence(b, i, &v))
			continue;
		n++;
		sum_a += u, sum_b += v;
		ab += u * v, aa += u * u, bb += v * v;
	}
	*common = (uint32_t)n;
	if (n < 2)
		return 0;
	double of_a = aa - sum_a * sum_a / n, of_b = bb - sum_b * sum_b / n;
	double both = ab - sum_a * sum_b / n;
	return of_a > 0 && of_b > 0 ? both / sqrt(of_a * of_b) : 0;
}

/* The slope's share, at least as if the root were 0.015 away from the
 * replications: without it the intervals of nearly equal arms are too narrow.
 */
static double tilt(const struct side *x)
{
	return x->root ? fmax(fabs(x->root->off), 0.015) * x->slope->error : 0;
}

/* The standard error of a log rate; from its interval, where the rate does not
 * rest on a root. */
static double error_of(const struct side *x)
{
	const struct capacity *c = &x->s->answer;
	if (x->root)
		return x->root->sampled;
	if (!(c->high > c->low) || !isfinite(c->high))
		return 0;
	double degrees = c->replications > 1 ? c->replications - 1.0 : 1;
	return log(c->high / c->low) / 2 /
	       student_two_sided(c->confidence, degrees);
}

static int is_saturated(const struct capacity_search *s)
{
	return s->answer.limited_by == LIMITED_BY_SATURATION &&
	       capacity_limit_is_measured(s);
}

/* Two limits of throughput, measured with the same requests.  Writes the mean
 * log ratio, and returns its standard error. */
static double saturated_ratio(const struct capacity_search *a,
			      const struct capacity_search *b, double *ratio)
{
	double squares = 0;
	*ratio = 0;
	for (int i = 0; i < SATURATED_RUNS; i++) {
		double x = log(a->saturated[i] / b->saturated[i]);
		double d = x - *ratio;
		*ratio += d / (i + 1);
		squares += d * (x - *ratio);
	}
	return sqrt(squares / (SATURATED_RUNS - 1) / SATURATED_RUNS);
}

static double square(double x)
{
	return x * x;
}

static struct comparison concluded(struct comparison c, double log_ratio,
				   double half, double margin)
{
	c.ratio = exp(log_ratio);
	c.low = exp(log_ratio - half);
	c.high = exp(log_ratio + half);
	c.verdict = c.low >= 1 - margin && c.high <= 1 + margin
			? COMPARISON_ALIKE
		    : c.low > 1 || c.high < 1 ? COMPARISON_DIFFER
					      : COMPARISON_UNTOLD;
	return c;
}

struct comparison capacity_compare(const struct capacity_search *a,
				   const struct capacity_search *b,
				   double confidence, double margin)
{
	static const double unpaired_degrees = 9; /* as of 10 replications */
	struct comparison c = {0};
	struct side x, y;
	if (is_saturated(a) && is_saturated(b)) {
		double log_ratio, error = saturated_ratio(a, b, &log_ratio);
		c.common = SATURATED_RUNS;
		return concluded(
		    c, log_ratio,
		    student_two_sided(confidence, SATURATED_RUNS - 1) * error,
		    margin);
	}
	side_of(&x, a);
	side_of(&y, b);
	double s_x = error_of(&x), s_y = error_of(&y), shared = 0;
	double degrees = unpaired_degrees;
	if (x.root && y.root) {
		double k = correlation(&x, &y, &c.common);
		shared = 2 * k * s_x * s_y * c.common /
			 sqrt((double)x.root->n * y.root->n);
		degrees = c.common > 2 ? c.common - 1.0 : 1;
	}
	double squared = square(s_x) + square(s_y) - shared;
	double s = sqrt(fmax(squared, 0) + square(tilt(&x)) + square(tilt(&y)));
	double half = student_two_sided(confidence, degrees) * s;
	double ratio = log(a->answer.request_rate / b->answer.request_rate);
	return concluded(c, ratio, half, margin);
}
