/* Intervals that hold what they promise. */
#include "math/bootstrap.h"
#include "math/rng.h"
#include "tap.h"

enum { REPEATS = 400, N = 12 };

/* How often the interval of two sets alike, of skewed samples, misses zero. */
static int misses(int paired)
{
	struct rng r = rng_stream(1, 99, (uint64_t)paired);
	int n = 0;
	for (int i = 0; i < REPEATS; i++) {
		double x[N], y[N];
		for (int k = 0; k < N; k++) {
			x[k] = rng_normal(&r) + rng_exponential(&r);
			y[k] = rng_normal(&r) + rng_exponential(&r);
			if (paired)
				x[k] -= y[k];
		}
		n += paired ? bootstrap_mean(x, N).distinguishable
			    : bootstrap_difference(x, N, y, N).distinguishable;
	}
	return n;
}

int main(void)
{
	const double zero[] = {0, 0, 0, 0}, same[] = {2, 2, 2};
	const double apart[] = {1, 1.1, 0.9, 1.05, 0.95};
	struct interval i = bootstrap_mean(zero, 4);
	ok(i.mean == 0 && i.low == 0 && i.high == 0 && i.effect == 0 &&
	       !i.distinguishable,
	   "nothing is exactly nothing");
	i = bootstrap_mean(same, 3);
	ok(i.low == 2 && i.high == 2 && i.distinguishable,
	   "no spread, no doubt");
	i = bootstrap_mean(apart, 5);
	near(i.mean, 1, 1e-12, "the mean");
	ok(i.low > 0.8 && i.low < 1 && i.high > 1 && i.high < 1.2 &&
	       i.effect > 10 && i.distinguishable,
	   "[%g, %g], effect %g", i.low, i.high, i.effect);
	struct interval again = bootstrap_mean(apart, 5);
	ok(again.low == i.low && again.high == i.high, "the same again");
	i = bootstrap_mean(apart, 2);
	ok(isnan(i.low) && !i.distinguishable, "two samples say nothing");
	/* 5 % of 400 are 20; the deviation of a count is 4.4. */
	for (int paired = 0; paired < 2; paired++) {
		int n = misses(paired);
		ok(n >= 7 && n <= 33, "%s: zero is missed %d times in %d",
		   paired ? "paired" : "unpaired", n, REPEATS);
	}
	return done();
}
