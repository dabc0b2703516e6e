/* One number of many, against numbers worked out by hand. */
#include "math/aggregate.h"
#include <math.h>
#include "tap.h"

static double added(const char *fn, const double *v, size_t n)
{
	double out = 0;
	for (size_t i = 0; i < n; i++)
		if (aggregate_add(fn, v[i], i, &out) < 0)
			return (double)NAN;
	return out;
}

static void a_number_at_a_time(void)
{
	const double v[] = {-3, 0, -1, 2}, negative[] = {-3, -1};
	near(added("sum", v, 4), -2, 0, "sum");
	near(added("count", v, 4), 3, 0, "count: those that are not 0");
	near(added("min", v, 4), -3, 0, "min");
	near(added("max", v, 4), 2, 0, "max");
	near(added("min", v + 3, 1), 2, 0, "min of a positive number");
	near(added("max", negative, 2), -1, 0, "max of negative numbers");
	ok(added("all", v, 4) == 0 && added("all", negative, 2) == 1,
	   "all: none is 0");
	ok(added("any", v, 4) == 1 && added("any", v + 1, 1) == 0,
	   "any: one is not 0");
	ok(added("all", v, 2) == 0 && added("all", v + 1, 2) == 0,
	   "all: a 0 at either end");
	ok(isnan(added("median", v, 4)) && isnan(added("", v, 4)),
	   "no other function adds");
}

static void a_sample(void)
{
	static const char *const of_sample[] = {"mean", "median", "p10",
						"p90",  "low",    "high"};
	for (size_t i = 0; i < sizeof of_sample / sizeof *of_sample; i++)
		ok(aggregate_is_of_sample(of_sample[i]) &&
		       isnan(aggregate_sample(of_sample[i], NULL, 0)),
		   "%s is of a sample, and NaN without numbers", of_sample[i]);
	ok(!aggregate_is_of_sample("sum") && !aggregate_is_of_sample("p50"),
	   "others are not");
	double v[] = {50, 20, 10, 40, 30, 0, 100, 60, 70, 80, 90};
	size_t n = sizeof v / sizeof *v;
	near(aggregate_sample("mean", v, n), 50, 1e-12, "the mean");
	double low = aggregate_sample("low", v, n);
	double high = aggregate_sample("high", v, n);
	/* 50 -+ 1.96 * 31.6 / sqrt(11), within a tenth of its width */
	near(low, 50 - 18.7, 4, "the lower end of its interval");
	near(high, 50 + 18.7, 4, "and the upper one");
	near(aggregate_sample("median", v, n), 50, 1e-12, "the median");
	near(aggregate_sample("p10", v, n), 10, 1e-12, "a tenth is below");
	near(aggregate_sample("p90", v, n), 90, 1e-12, "a tenth is above");
	ok(v[0] == 0 && v[1] == 10 && v[10] == 100, "it is sorted");
}

int main(void)
{
	a_number_at_a_time();
	a_sample();
	return done();
}
