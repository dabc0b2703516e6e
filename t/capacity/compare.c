/* Two arms on common random numbers. */
#include "capacity/compare.h"
#include "math/rng.h"
#include "tap.h"

enum { NUMBERS = 20 };
static struct capacity_search a, b;
static const struct bounds bounds = {.n = 1};

static void fill(struct capacity_end *e, double x, double root, uint64_t shift)
{
	*e = (struct capacity_end){.x = x, .n = NUMBERS};
	for (uint32_t i = 0; i < NUMBERS; i++) {
		struct rng g = rng_stream(7 + shift, RNG_SAMPLE, i);
		double y = exp(5 * (x - root) + 0.3 * rng_normal(&g) - 0.045);
		e->run[i] =
		    (struct capacity_run){.number = i + 1, .excess = {y}};
	}
}

/* A search with the noise of its numbers; shift: of the seeds, 0 for common
 * ones. */
static void search(struct capacity_search *s, double rate, uint64_t shift)
{
	double x = log(rate);
	fill(&s->low, x - 0.02, x, shift);
	fill(&s->high, x + 0.02, x, shift);
	s->is_jump = 0;
	s->answer = (struct capacity){.limited_by = 0,
				      .confidence = 0.9,
				      .replications = NUMBERS,
				      .request_rate = rate,
				      .low = rate * 0.97,
				      .high = rate * 1.03};
}

int main(void)
{
	search(&a, 10, 0);
	search(&b, 10, 0);
	struct comparison c = capacity_compare(&a, &b, &bounds, 0.9, 0.03);
	ok(c.verdict == COMPARISON_ALIKE && c.ratio == 1 && c.common == NUMBERS,
	   "an arm and itself are alike");
	double paired = c.high - c.low;
	search(&b, 12.8, 0);
	c = capacity_compare(&b, &a, &bounds, 0.9, 0.03);
	ok(c.verdict == COMPARISON_DIFFER && c.low > 1.25 && c.high < 1.31,
	   "1.28 times the rate, %.3f to %.3f", c.low, c.high);
	search(&b, 10, 1000);
	c = capacity_compare(&a, &b, &bounds, 0.9, 0.005);
	ok(c.high - c.low > paired + 0.03,
	   "with seeds of their own the interval is wider: %.3f to %.3f", c.low,
	   c.high);
	ok(c.verdict == COMPARISON_UNDECIDED, "and nothing is told");
	b.is_jump = 1;
	c = capacity_compare(&a, &b, &bounds, 0.9, 0.03);
	ok(c.common == 0 && c.low < 1 && c.high > 1,
	   "where the excess jumps the intervals of both are added");
	a.answer = (struct capacity){.basis = BASIS_ONE_DRAW,
				     .confidence = NAN,
				     .replications = 1,
				     .request_rate = 10,
				     .low = 10,
				     .high = 10.1};
	b.answer = a.answer;
	b.answer.request_rate = b.answer.low = 11, b.answer.high = 11.1;
	c = capacity_compare(&b, &a, &bounds, 0.9, 0.03);
	ok(c.verdict == COMPARISON_DIFFER && c.low > 1.08 && c.high < 1.12,
	   "of one draw the ends are rates that were tried: %.3f to %.3f",
	   c.low, c.high);
	return done();
}
