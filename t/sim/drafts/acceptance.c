/* How many drafts are accepted: mean, variance and rate per position come out
 * as the rates say; and the outcome hangs on the place alone. */
#include "sim/drafts/acceptance.h"
#include "tap.h"

enum { DRAFTS = 5, SAMPLES = 200000 };

static const struct speculation five = {
    .drafts = DRAFTS,
    .seed = 7,
    .rate = {0.82, 0.61, 0.45, 0.2, 0.19},
    .accept = {0.82, 0.61 / 0.82, 0.45 / 0.61, 0.2 / 0.45, 0.19 / 0.2},
};

/* Tokens of a verification: 1 + sum s_j, with the variance
 * sum (2 j - 1) s_j - (sum s_j)^2, j from 1. */
static void moments(void)
{
	struct acceptance_sum sum = {0};
	double squares = 0, mean = 0, variance = 0;
	for (uint64_t row = 0; row < SAMPLES; row++) {
		uint32_t n = acceptance_count(&five, row, 3, DRAFTS);
		acceptance_add(&sum, DRAFTS, n);
		squares += (double)n * n;
	}
	for (int j = 1; j <= DRAFTS; j++) {
		mean += five.rate[j - 1];
		variance += (2 * j - 1) * five.rate[j - 1];
	}
	variance -= mean * mean;
	double got = (double)sum.accepted_tokens / SAMPLES;
	near(got, mean, 0.005, "mean of accepted drafts");
	near(squares / SAMPLES - got * got, variance, 0.01,
	     "variance of tokens per step");
	for (int j = 0; j < DRAFTS; j++)
		near((double)sum.accepted_at[j] / SAMPLES, five.rate[j], 0.02,
		     "rate of position %d", j);
	ok(sum.drafts == SAMPLES && sum.draft_tokens == SAMPLES * DRAFTS,
	   "and all are counted");
}

/* Values of the formula as given, computed apart. */
static void values(void)
{
	near(acceptance_try(0, 0, 0), 0.8833108082136426, 1e-15, "seed 0");
	near(acceptance_try(7, 2, 5), 0.6457081123725246, 1e-15,
	     "seed 7, row 2");
	near(acceptance_try(1, 5000000000u, 9), 0.39657071378954467, 1e-15,
	     "rows beyond 32 bits");
	ok(acceptance_count(&five, 1, 0, 0) == 0, "no drafts");
}

static void by_place(void)
{
	int same = 1;
	for (uint64_t row = 0; row < 100; row++) {
		uint32_t n = acceptance_count(&five, row, 10, DRAFTS);
		for (uint32_t k = 1; k < DRAFTS; k++)
			same &= acceptance_count(&five, row, 10, k) ==
				(n < k ? n : k);
	}
	ok(same, "fewer drafts are the first of more");
}

int main(void)
{
	moments();
	values();
	by_place();
	return done();
}
