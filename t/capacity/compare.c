/* Two arms on common random numbers. */
#include "capacity/compare.h"
#include "math/rng.h"
#include "tap.h"

enum { NUMBERS = 20 };
static struct capacity_search a, b;

/* A search with all replications at its rate, and with the noise of their
 * numbers; shift: of the seeds, 0 for common ones. */
static void search(struct capacity_search *s, double rate, uint64_t shift)
{
	*s = (struct capacity_search){
	    .log_rate = log(rate), .n_numbers = NUMBERS, .n = NUMBERS};
	s->slope[0] = (struct slope){.b = 5, .error = 0.02};
	struct replicate r[NUMBERS];
	for (uint32_t i = 0; i < NUMBERS; i++) {
		struct rng g = rng_stream(7 + shift, RNG_SAMPLE, i);
		double y = exp(0.3 * rng_normal(&g) - 0.045);
		r[i] = (struct replicate){log(rate), y, i + 1};
		s->run[i] = (struct capacity_run){
		    .log_rate = log(rate), .number = i + 1, .excess = {y}};
	}
	if (!root_of(r, NUMBERS, log(rate), &s->slope[0], &s->root[0]))
		bail_out("no root");
	double half = root_half_width(&s->root[0], 0.9);
	s->answer = (struct capacity){.limited_by = 0,
				      .confidence = 0.9,
				      .replications = NUMBERS,
				      .request_rate = rate,
				      .low = rate * exp(-half),
				      .high = rate * exp(half)};
}

int main(void)
{
	search(&a, 10, 0);
	search(&b, 10, 0);
	struct comparison c = capacity_compare(&a, &b, 0.9, 0.03);
	ok(c.verdict == COMPARISON_ALIKE && c.ratio == 1 && c.common == NUMBERS,
	   "an arm and itself are alike");
	double paired = c.high - c.low;
	search(&b, 12.8, 0);
	c = capacity_compare(&b, &a, 0.9, 0.03);
	ok(c.verdict == COMPARISON_DIFFER && c.low > 1.25 && c.high < 1.31,
	   "1.28 times the rate, %.3f to %.3f", c.low, c.high);
	search(&b, 10, 1000);
	c = capacity_compare(&a, &b, 0.9, 0.01);
	ok(c.high - c.low > 3 * paired,
	   "with seeds of their own the interval is wider");
	ok(c.verdict == COMPARISON_UNTOLD, "and nothing is told");
	/* An answer without a root: the limit of throughput. */
	b.answer.limited_by = LIMITED_BY_SATURATION;
	c = capacity_compare(&a, &b, 0.9, 0.03);
	ok(c.common == 0 && c.low < 1 && c.high > 1,
	   "without a root the intervals of both are added");
	/* Two limits of throughput, which vary with the requests alike. */
	for (int i = 0; i < SATURATED_RUNS; i++) {
		a.saturated[i] = 10 + i;
		b.saturated[i] = 1.01 * (10 + i);
	}
	a.answer.limited_by = LIMITED_BY_SATURATION;
	c = capacity_compare(&b, &a, 0.9, 0.03);
	ok(c.verdict == COMPARISON_ALIKE && c.common == SATURATED_RUNS &&
	       fabs(c.ratio - 1.01) < 1e-9,
	   "limits of throughput are compared run by run");
	b.saturated[0] *= 2;
	c = capacity_compare(&b, &a, 0.9, 0.03);
	ok(c.verdict == COMPARISON_UNTOLD && c.low < 1,
	   "runs that disagree tell nothing");
	return done();
}
