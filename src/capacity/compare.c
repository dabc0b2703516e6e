/* compare.c -- Compares two searches by their common replications. */
#include "capacity/compare.h"
#include <math.h>
#include "capacity/line.h"
#include "math/student.h"

const char *const comparison_verdict_name[] = {"alike", "differ",
					       "cannot tell"};

static int has_line(const struct capacity_search *s)
{
	return !s->is_jump && s->low.n > 1 && s->high.n > 1;
}

/* The log rate without a replication. */
static double rate_without(const struct capacity_search *s,
			   const struct bounds *b, uint32_t number)
{
	int has_cycles = s->answer.basis == BASIS_CYCLES;
	return line_least(s, b, s->answer.confidence, has_cycles, number).x;
}

/* The standard error of the log ratio, by leaving out one number of both
 * searches after the other (jackknife): what chance does to both alike cancels.
 */
static double paired_error(const struct capacity_search *a,
			   const struct capacity_search *b,
			   const struct bounds *bounds, uint32_t *common)
{
	uint32_t n = a->low.n > b->low.n ? a->low.n : b->low.n;
	double mean = 0, squares = 0;
	*common = a->low.n < b->low.n ? a->low.n : b->low.n;
	for (uint32_t i = 1; i <= n; i++) {
		double x =
		    rate_without(a, bounds, i) - rate_without(b, bounds, i);
		double d = x - mean;
		mean += d / i;
		squares += d * (x - mean);
	}
	return sqrt((n - 1.0) / n * squares);
}

/* The standard error of a log rate, from its interval. */
static double error_of(const struct capacity_search *s)
{
	const struct capacity *c = &s->answer;
	if (!(c->high > c->low) || !isfinite(c->high))
		return 0;
	double degrees = c->replications > 1 ? c->replications - 1.0 : 1;
	return log(c->high / c->low) / 2 /
	       student_two_sided(c->confidence, degrees);
}

struct comparison capacity_compare(const struct capacity_search *a,
				   const struct capacity_search *b,
				   const struct bounds *bounds,
				   double confidence, double margin)
{
	struct comparison c = {0};
	double error, degrees = 9; /* as of 10 replications                  */
	if (has_line(a) && has_line(b)) {
		error = paired_error(a, b, bounds, &c.common);
		degrees = c.common > 2 ? c.common - 1.0 : 1;
	} else {
		error = hypot(error_of(a), error_of(b));
	}
	double half = student_two_sided(confidence, degrees) * error;
	double ratio = log(a->answer.request_rate / b->answer.request_rate);
	c.ratio = exp(ratio);
	c.low = exp(ratio - half);
	c.high = exp(ratio + half);
	c.verdict = c.low >= 1 - margin && c.high <= 1 + margin
			? COMPARISON_ALIKE
		    : c.low > 1 || c.high < 1 ? COMPARISON_DIFFER
					      : COMPARISON_UNDECIDED;
	return c;
}
