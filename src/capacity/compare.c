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

/* Returns the standard error of the log ratio of both rates, by a jackknife: it
 * leaves out one draw of requests after another, of both searches.  Errors that
 * both have in common cancel. */
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

/* Half the interval of a log rate; 0: it has none. */
static double half_of(const struct capacity *c)
{
	return c->high > c->low && isfinite(c->high) ? log(c->high / c->low) / 2
						     : 0;
}

/* The standard error of a log rate, from its interval. */
static double error_of(const struct capacity *c)
{
	double degrees = c->replications > 1 ? c->replications - 1.0 : 1;
	return half_of(c) / student_two_sided(c->confidence, degrees);
}

/* The ends of one draw are rates at which its bounds hold and do not: no chance
 * is in them. */
static int is_one_draw(const struct capacity *c)
{
	return c->basis == BASIS_ONE_DRAW;
}

/* Half the interval of the log ratio. */
static double half_of_ratio(const struct capacity_search *a,
			    const struct capacity_search *b,
			    const struct bounds *bounds, double confidence,
			    uint32_t *common)
{
	const struct capacity *x = &a->answer, *y = &b->answer;
	double error, degrees = 9; /* as of 10 replications                  */
	if (is_one_draw(x) && is_one_draw(y))
		return half_of(x) + half_of(y);
	if (has_line(a) && has_line(b)) {
		error = paired_error(a, b, bounds, common);
		degrees = *common > 2 ? *common - 1.0 : 1;
	} else {
		error = hypot(error_of(x), error_of(y));
	}
	return student_two_sided(confidence, degrees) * error;
}

struct comparison capacity_compare(const struct capacity_search *a,
				   const struct capacity_search *b,
				   const struct bounds *bounds,
				   double confidence, double margin)
{
	struct comparison c = {0};
	double half = half_of_ratio(a, b, bounds, confidence, &c.common);
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
