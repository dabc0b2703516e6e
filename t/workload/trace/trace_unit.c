/* Units of time, by name and guessed. */
#include "workload/trace/trace_unit.h"
#include "tap.h"

static void names(void)
{
	for (int i = UNIT_S; i <= UNIT_DATE; i++)
		ok(trace_unit_named(trace_unit_name((enum trace_unit)i)) ==
		       (enum trace_unit)i,
		   "%s by its name", trace_unit_name((enum trace_unit)i));
	ok(!trace_unit_named("sec") && !trace_unit_named(""), "no others");
	ok(trace_unit_power(UNIT_S) == 9 && trace_unit_power(UNIT_MS) == 6 &&
	       trace_unit_power(UNIT_US) == 3 && trace_unit_power(UNIT_NS) == 0,
	   "powers of ten");
}

/* Guesses the unit of n times from `first` on, with that gap. */
static const char *guess(const char *column, double first, double gap, int n)
{
	struct trace_times t = {0};
	for (int i = 0; i < n; i++)
		trace_times_add(&t, first + gap * i);
	return trace_unit_name(trace_unit_estimate(column, &t));
}

static void guesses(void)
{
	is(guess("t", 1.7e9, 100, 50), "s", "seconds since 1970");
	is(guess("t", 1.7e12, 1, 50), "ms", "milliseconds since 1970");
	is(guess("arrival_s", 1.7e15, 1, 50), "us",
	   "microseconds since 1970, whatever the name is");
	is(guess("t", 1.7e18, 512, 50), "ns", "nanoseconds since 1970");
	is(guess("", 1.7e9, 1, 1), "s", "one row of an epoch");
	is(guess("", 1e12, 6e8, 1000), "ns", "a clock of another origin");
	is(guess("arrival_ms", 0, 1, 50), "ms", "a name that ends in a unit");
	is(guess("arrivalTimeMs", 0, 1, 50), "ms", "CamelCase");
	is(guess("START_US", 0, 1, 50), "us", "upper case");
	is(guess("arrivalTimeUS", 0, 1, 50), "us", "both");
	is(guess("time (s)", 0, 5000, 50), "s", "in brackets");
	is(guess("t [\xc2\xb5s]", 0, 1, 50), "us", "the sign for micro");
	is(guess("items", 0, 1, 50), "s", "an s at the end is no unit");
	is(guess("t", 1.7e12 + 49, -1, 50), "ms", "the latest first");
	is(guess("at ms", 0, 1, 50), "ms", "a word of its own");
	is(guess("t", 0, 0.25, 50), "s", "4 requests in a second");
	is(guess("t", 0, 50.5, 50), "s", "fractions: a larger unit");
	is(guess("t", 0, 50, 50), "ms", "20 requests in a second");
	is(guess("t", 0, 250000, 50), "us", "4 in a second, in us");
	is(guess("t", 0, 250000000, 50), "ns", "4 in a second, in ns");
	is(guess("t", 7, 0, 50), "s", "all at once");
	is(guess("t", 7, 0, 0), "s", "no row");
}

int main(void)
{
	names();
	guesses();
	return done();
}
