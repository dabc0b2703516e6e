#include <inttypes.h>
#include "workload/arrival.h"
#include "tap.h"

static void regular(void)
{
	struct arrival a = {.process = ARRIVAL_CONSTANT, .rate = 3};
	int64_t ns, want[] = {0, 333333333, 666666667, 1000000000};
	arrival_start(&a, 1);
	for (int k = 0; k < 4; k++)
		ok(arrival_next(&a, &ns) && ns == want[k],
		   "rate 3: arrival %d at %" PRId64, k, ns);
	a = (struct arrival){.process = ARRIVAL_CONSTANT, .interval_us = 49999};
	arrival_start(&a, 1);
	int good = 1;
	for (int64_t k = 0; k < 100000; k++)
		good &= arrival_next(&a, &ns) && ns == k * 49999000;
	ok(good, "every 49,999 us exactly");
	a = (struct arrival){.process = ARRIVAL_BURST, .rate = 10, .burst = 5};
	arrival_start(&a, 1);
	for (int64_t k = 0; k < 15; k++)
		good &= arrival_next(&a, &ns) && ns == k / 5 * 500000000;
	ok(good, "bursts of 5, 10 a second");
	a = (struct arrival){.process = ARRIVAL_POISSON, .rate = INFINITY};
	arrival_start(&a, 1);
	for (int k = 0; k < 9; k++)
		good &= arrival_next(&a, &ns) && ns == 0;
	ok(good, "an infinite rate: all at 0");
	a = (struct arrival){.process = ARRIVAL_CONSTANT,
			     .rate = 2,
			     .on_ns = 1000000000,
			     .off_ns = 9000000000};
	arrival_start(&a, 1);
	for (int64_t k = 0; k < 10; k++)
		good &= arrival_next(&a, &ns) &&
			ns == k / 2 * 10000000000 + k % 2 * 500000000;
	ok(good, "on for 1 s, off for 9");
	a = (struct arrival){.process = ARRIVAL_CONSTANT, .rate = 1e-3};
	arrival_start(&a, 1);
	a.k = 10000000000;
	ok(arrival_next(&a, &ns) == -1, "the clock ends after 146 years");
	a = (struct arrival){.process = ARRIVAL_POISSON, .rate = 2e-9, .cv = 1};
	arrival_start(&a, 1);
	int n = 0, got;
	while ((got = arrival_next(&a, &ns)) == 1)
		n++;
	ok(got == -1 && n > 2 && n < 30 && arrival_next(&a, &ns) == -1,
	   "also for random gaps, and for good");
	a = (struct arrival){.process = ARRIVAL_CONSTANT,
			     .rate = 1,
			     .on_ns = 1000000000,
			     .off_ns = 1000000000000000000};
	arrival_start(&a, 1);
	for (n = 0; (got = arrival_next(&a, &ns)) == 1;)
		n++;
	ok(got == -1 && n == 5, "and for pauses");
}

static void random_gaps(const char *what, enum arrival_process process,
			double cv)
{
	struct arrival a = {.process = process, .rate = 8, .cv = cv};
	double sum = 0, squares = 0, want = process == ARRIVAL_POISSON ? 1 : cv;
	int64_t ns, before = 0;
	int n = 1000000, good = 1;
	arrival_start(&a, 42);
	for (int k = 0; k < n; k++) {
		good &= arrival_next(&a, &ns) && ns >= before;
		double gap = (double)(ns - before);
		sum += gap;
		squares += gap * gap;
		before = ns;
	}
	double mean = sum / n, std = sqrt(squares / n - mean * mean);
	ok(good, "%s of CV %g: never back", what, cv);
	near(mean, 1e9 / 8, 0.01, "mean within 1 %%");
	near(std / mean, want, 0.01, "CV within 1 %%: %g", std / mean);
}

/* A CV too small to see ends, too. */
static void almost_constant(void)
{
	int wrong = 0;
	for (double cv = 1e-5; cv > 1e-300; cv *= 1e-5) {
		struct rng r = rng_stream(1, RNG_INPUT, 0);
		struct gaps gamma, weibull;
		gaps_init(&gamma, ARRIVAL_GAMMA, cv);
		gaps_init(&weibull, ARRIVAL_WEIBULL, cv);
		double a = gaps_draw(&gamma, &r), b = gaps_draw(&weibull, &r);
		wrong += fabs(a - 1) > 1e-3 || fabs(b - 1) > 1e-3;
	}
	ok(wrong == 0, "gaps of a CV down to 1e-300 are the mean");
}

static struct arrival staged(const char *text, enum arrival_process process)
{
	struct problem p = {0};
	struct arrival a = {.process = process, .cv = 2, .burst = 3};
	if (arrival_parse_stages(text, "f:1", "stages", &a.stage, &a.n_stages,
				 &p) < 0)
		bail_out(p.text);
	arrival_start(&a, 7);
	return a;
}

static void stages(enum arrival_process process)
{
	struct arrival a = staged("2:10,0:5,0.04:10,4:2.5", process);
	int64_t ns, before = 0;
	int count[4] = {0}, good = 1;
	while (arrival_next(&a, &ns)) {
		good &= ns >= before && ns < 27500000000;
		count[ns < 10000000000   ? 0
		      : ns < 15000000000 ? 1
		      : ns < 25000000000 ? 2
					 : 3]++;
		before = ns;
	}
	ok(good && count[0] == 20 && count[1] == 0 && count[2] == 0 &&
	       count[3] == 10,
	   "process %d: %d %d %d %d in the stages", process, count[0], count[1],
	   count[2], count[3]);
	free(a.stage);
}

static void bad_stages(const char *text)
{
	struct problem p = {0};
	struct arrival_stage *s = NULL;
	uint32_t n;
	ok(arrival_parse_stages(text, "f:1", "stages", &s, &n, &p) < 0 &&
	       p.code == EXIT_USAGE,
	   "%s", p.text);
	free(s);
}

/* The time-rescaled process is Poisson of rate 1, and its counts by the hour
 * are Poisson: mean and variance by the integral of the rate. */
static void diurnal(double ratio)
{
	enum { PERIODS = 400, HOURS = 24 };
	const double rate = 2, period = 86400 / 60., pi = 3.14159265358979;
	struct arrival a = {.process = ARRIVAL_DIURNAL,
			    .rate = rate,
			    .peak_to_trough = ratio,
			    .period_ns = llround(1e9 * period)};
	double swing = (ratio - 1) / (ratio + 1), before = 0, sum = 0;
	double squares = 0, count[HOURS] = {0}, n = 0;
	int64_t ns, last = 0;
	int good = 1;
	arrival_start(&a, 42);
	for (;; n++) {
		good &= arrival_next(&a, &ns) == 1 && ns >= last;
		last = ns;
		double s = (double)ns / 1e9;
		if (s >= PERIODS * period)
			break;
		double at = rate * (s - swing * period / (2 * pi) *
					    sin(2 * pi * s / period));
		sum += at - before;
		squares += (at - before) * (at - before);
		before = at;
		count[(int)(fmod(s, period) / period * HOURS)]++;
	}
	double want = rate * period * PERIODS, worst = 0;
	ok(good, "peak to trough %g: never back", ratio);
	ok(fabs(n - want) < 4 * sqrt(want), "%.0f arrivals, expected %.0f", n,
	   want);
	near(sum / n, 1, 0.01, "rescaled gaps: mean 1");
	near(squares / n, 2, 0.02, "and mean square 2");
	for (int h = 0; h < HOURS; h++) {
		double from = 2 * pi * h / HOURS, to = 2 * pi * (h + 1) / HOURS;
		double mean = want / HOURS *
			      (1 - swing * (sin(to) - sin(from)) / (to - from));
		worst = fmax(worst, fabs(count[h] - mean) / sqrt(mean));
	}
	ok(worst < 4, "each hour of the day has its share: %.2f sigma", worst);
}

/* Two candidates decide an arrival on average, from a stream of its own. */
static void diurnal_stream(void)
{
	struct arrival a = {.process = ARRIVAL_DIURNAL,
			    .rate = 1,
			    .peak_to_trough = 1,
			    .period_ns = 1000};
	struct arrival flat = {.process = ARRIVAL_POISSON, .rate = 1};
	int64_t ns, other;
	arrival_start(&a, 1), arrival_start(&flat, 1);
	ok(arrival_next(&a, &ns) && arrival_next(&flat, &other) && ns != other,
	   "its numbers are not those of another process");
	a = (struct arrival){.process = ARRIVAL_DIURNAL,
			     .rate = 1e-30,
			     .peak_to_trough = 2,
			     .period_ns = 1000};
	arrival_start(&a, 1);
	ok(arrival_next(&a, &ns) == -1, "the clock ends for it, too");
}

int main(void)
{
	diurnal(1);
	diurnal(3);
	diurnal(1000);
	diurnal_stream();
	regular();
	almost_constant();
	random_gaps("poisson", ARRIVAL_POISSON, 1);
	random_gaps("gamma", ARRIVAL_GAMMA, 0.3);
	random_gaps("gamma", ARRIVAL_GAMMA, 2);
	random_gaps("gamma", ARRIVAL_GAMMA, 4);
	random_gaps("weibull", ARRIVAL_WEIBULL, 0.3);
	random_gaps("weibull", ARRIVAL_WEIBULL, 1);
	random_gaps("weibull", ARRIVAL_WEIBULL, 2);
	for (int i = ARRIVAL_POISSON; i <= ARRIVAL_BURST; i++)
		stages((enum arrival_process)i);
	struct arrival a = staged("3:1,0:2,2:1", ARRIVAL_CONSTANT);
	int64_t ns, want[] = {0, 333333333, 666666667, 3000000000, 3500000000};
	for (int k = 0; k < 5; k++)
		ok(arrival_next(&a, &ns) && ns == want[k],
		   "stages: arrival %d at %" PRId64, k, ns);
	ok(!arrival_next(&a, &ns), "and no more");
	free(a.stage);
	a = staged("2:1,0:1e12", ARRIVAL_POISSON);
	ok(arrival_next(&a, &ns) == 1 && arrival_next(&a, &ns) == 1 &&
	       arrival_next(&a, &ns) == 0,
	   "a pause beyond the clock is only the end");
	free(a.stage);
	a = staged("2:1,0:1e12,1:1", ARRIVAL_POISSON);
	ok(arrival_next(&a, &ns) == 1 && arrival_next(&a, &ns) == 1 &&
	       arrival_next(&a, &ns) == -1,
	   "unless something follows");
	free(a.stage);
	struct arrival by_rate = {.process = ARRIVAL_DIURNAL,
				  .rate = 20,
				  .peak_to_trough = 3,
				  .period_ns = 60000000000},
		       by_interval = by_rate;
	by_interval.rate = 0, by_interval.interval_us = 50000;
	arrival_start(&by_rate, 7), arrival_start(&by_interval, 7);
	int64_t at[2] = {0, 0}, differ = 0;
	for (int k = 0; k < 1000; k++) {
		arrival_next(&by_rate, &at[0]),
		    arrival_next(&by_interval, &at[1]);
		differ |= at[0] ^ at[1];
	}
	ok(at[0] > 0 && !differ, "a day of 20/s, or every 50 ms on average");
	a = (struct arrival){.process = ARRIVAL_CONSTANT,
			     .interval_us = 1e6,
			     .on_ns = 1,
			     .off_ns = INT64_MAX / 2};
	arrival_start(&a, 1);
	ok(arrival_next(&a, &ns) == 1 && ns == 0 && arrival_next(&a, &ns) == -1,
	   "pauses that reach beyond the clock");
	bad_stages("");
	bad_stages("1");
	bad_stages("1:");
	bad_stages("1:0");
	bad_stages("-1:5");
	bad_stages("nan:5");
	bad_stages("inf:5");
	bad_stages("0:inf");
	bad_stages("1:inf");
	bad_stages("1:5,");
	bad_stages("1:5;2:5");
	return done();
}
