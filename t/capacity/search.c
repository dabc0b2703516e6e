/* The capacity of a queue that has a formula: Poisson arrivals, 1 ms for each
 * request, one at a time (M/D/1).  Its mean wait is rho / (2 (1 - rho)) ms
 * (Pollaczek and Khinchine), so a mean TTFT of 2 ms is reached at 2/3 of the
 * service rate: 666.7 requests/s. */
#include "capacity/search.h"
#include "millisecond.h"

static void formula(void)
{
	struct capacity x;
	struct capacity_task t = task("ttft_mean_ms=2");
	int held = 0;
	for (k.seed = 1; k.seed <= 5; k.seed++) {
		if (capacity_find(&t, &x, &p) < 0)
			bail_out(p.text);
		held += x.low <= 2000 / 3.0 && 2000 / 3.0 <= x.high;
		near(x.request_rate, 2000 / 3.0, 0.05, "seed %d: %.1f to %.1f",
		     (int)k.seed, x.low, x.high);
		ok(x.verdict == CAPACITY_FOUND && x.limited_by == 0 &&
		       x.stopped_by == STOP_PRECISION &&
		       capacity_half_width(&x) <= 0.03 && x.replications >= 3,
		   "narrow enough, from three replications or more");
	}
	ok(held >= 3, "%d of 5 intervals of 90 %% hold the formula's", held);
	near(x.saturation_rate, 1000, 0.02, "all at once: 1000 a second");
	k.seed = 42;
}

static void saturated(void)
{
	struct capacity x;
	struct capacity_task t = task("ttft_mean_ms=100000");
	if (capacity_find(&t, &x, &p) < 0)
		bail_out(p.text);
	is(capacity_limited_by(&x, &wanted), "saturation",
	   "a bound that is never reached");
	ok(x.low < 1010 && x.high > 970 && x.request_rate < 1010,
	   "near 1000: %.1f, %.1f to %.1f", x.request_rate, x.low, x.high);
}

/* At 0.95 of the service rate the mean TTFT is 10.5 ms: a queue that forgets
 * how it began in 400 requests only. */
static void near_the_limit(void)
{
	struct capacity x;
	struct capacity_task t = task("ttft_mean_ms=10.5");
	int held = 0;
	for (k.seed = 1; k.seed <= 3; k.seed++) {
		if (capacity_find(&t, &x, &p) < 0)
			bail_out(p.text);
		held += x.low <= 950 && 950 <= x.high;
		near(x.request_rate, 950, 0.02, "near the limit: %.1f to %.1f",
		     x.low, x.high);
		ok(x.requests_per_replication >= 8000,
		   "with runs that are long enough: %d",
		   (int)x.requests_per_replication);
	}
	ok(held >= 2, "%d of 3 intervals hold 95 %% of the limit", held);
	k.seed = 42;
}

static void none(void)
{
	struct capacity x;
	struct capacity_task t = task("ttft_mean_ms=0.5");
	if (capacity_find(&t, &x, &p) < 0)
		bail_out(p.text);
	ok(x.verdict == CAPACITY_NONE && x.stopped_by == STOP_NONE &&
	       x.simulations <= 4,
	   "a bound below one step: none, in %d simulations",
	   (int)x.simulations);
	near(x.seen.value[0], 1, 0.01, "and the value is the unloaded one");
}

static void limited(void)
{
	struct capacity x;
	struct capacity_task t = task("ttft_mean_ms=2");
	t.request_limit = 40000;
	t.precision = 0.002;
	if (capacity_find(&t, &x, &p) < 0)
		bail_out(p.text);
	ok(x.stopped_by == STOP_LIMIT && x.replications == 6 && x.high > x.low,
	   "a limit ends it after six replications at both ends");
}

/* A looser bound never lowers the rate. */
static void rate_steps(void)
{
	static const char *const slo[] = {"ttft_mean_ms=1.5", "ttft_mean_ms=2",
					  "ttft_mean_ms=4", "ttft_mean_ms=8"};
	double last = 0;
	int rises = 1;
	for (int i = 0; i < 4; i++) {
		struct capacity x;
		struct capacity_task t = task(slo[i]);
		if (capacity_find(&t, &x, &p) < 0)
			bail_out(p.text);
		rises &= x.request_rate > last;
		last = x.request_rate;
	}
	ok(rises, "four bounds of a ladder: rates rise to %.1f", last);
}

/* Replicas of 1 ms a request behind round_robin: arrivals at each are more
 * even than Poisson's, so that N carry more than N times one. */
static void fleets(void)
{
	struct capacity one, x;
	static struct capacity_search s;
	struct capacity_task t = task("ttft_mean_ms=2");
	if (capacity_find(&t, &one, &p) < 0)
		bail_out(p.text);
	t.rate = 1500;
	if (capacity_search(&t, &s, &p) < 0)
		bail_out(p.text);
	x = s.answer;
	ok(x.question == QUESTION_FLEET && x.verdict == CAPACITY_FOUND &&
	       x.units_low == 2 && x.units_high == 2,
	   "two carry 1500 requests/s, although one carries %.0f",
	   one.request_rate);
	const struct capacity_test *two = NULL, *single = NULL;
	for (uint32_t i = 0; i < x.n_tests; i++) {
		two = s.test[i].units == 2 ? &s.test[i] : two;
		single = s.test[i].units == 1 ? &s.test[i] : single;
	}
	ok(two && single && two->verdict == CARRIES_YES &&
	       single->verdict == CARRIES_NO,
	   "both neighbours were tested");
	t.is_given = 1;
	if (capacity_find(&t, &x, &p) < 0)
		bail_out(p.text);
	ok(x.verdict == CAPACITY_NONE && x.limited_by == 0,
	   "the one that is configured does not carry it");
	t.rate = 2000.0 / 3; /* which it carries with an excess of 1         */
	t.request_limit = 1;
	if (capacity_find(&t, &x, &p) < 0)
		bail_out(p.text);
	ok(x.verdict == CAPACITY_UNDECIDED && x.stopped_by == STOP_LIMIT &&
	       x.replications == 3,
	   "at the border it may carry the rate");
	t.rate = 1500;
	t.is_given = 0;
	t.most_units = 1;
	if (capacity_find(&t, &x, &p) < 0)
		bail_out(p.text);
	ok(x.verdict == CAPACITY_NONE, "nor does the most that may be used");
}

/* Whether requests are too long is counted, not simulated. */
static void too_long(void)
{
	struct capacity x;
	struct capacity_task t = task("ttft_mean_ms=2");
	e.max_model_len = 11;
	if (capacity_find(&t, &x, &p) < 0)
		bail_out(p.text);
	ok(x.verdict == CAPACITY_FOUND && x.rejected_share == 0,
	   "none is too long");
	e.max_model_len = 10;
	if (capacity_find(&t, &x, &p) < 0)
		bail_out(p.text);
	ok(x.verdict == CAPACITY_NONE && x.limited_by == LIMITED_BY_REJECTION &&
	       x.simulations == 0,
	   "all are too long: none, without a simulation");
	e.max_model_len = 0;
}

/* Every request exactly alike: nothing to replicate. */
static void fixed(void)
{
	struct capacity x;
	struct capacity_task t = task("ttft_p99_ms=1.1");
	struct ini other;
	struct workload_keys keys;
	if (workload_of(&keys, &other,
			"num_requests=200 arrival=constant request_rate=100 "
			"input_tokens=constant:10 output_tokens=constant:1",
			&p) < 0)
		bail_out(p.text);
	t.workload = &keys;
	t.cfg = &other;
	if (capacity_find(&t, &x, &p) < 0)
		bail_out(p.text);
	ok(x.low == x.high && x.request_rate > 990 && x.request_rate <= 1001,
	   "without chance there is no interval: %.2f", x.request_rate);
	ini_free(&other);
}

/* Conversations of three turns, 200 s apart, live for 400 s: a replication
 * lasts ten times as long, so that the tenth that does not count is one life.
 */
static void sessions(void)
{
	struct capacity x;
	struct capacity_task t = task("ttft_mean_ms=2");
	struct ini other;
	struct workload_keys keys;
	if (workload_of(&keys, &other,
			"num_requests=200 request_rate=5 turns=3 "
			"think_time_s=constant:200 input_tokens=constant:10 "
			"output_tokens=constant:1",
			&p) < 0)
		bail_out(p.text);
	t.workload = &keys;
	t.cfg = &other;
	t.rate = 10;
	t.is_given = 1;
	if (capacity_find(&t, &x, &p) < 0)
		bail_out(p.text);
	double lives = (double)x.requests_per_replication / t.rate / 400;
	ok(x.verdict == CAPACITY_FOUND && lives >= 10 && lives <= 20,
	   "a replication of conversations lasts %.1f lives", lives);
	ini_free(&other);
}

int main(void)
{
	if (workload_of(&k, &c,
			"num_requests=1000 request_rate=100 "
			"input_tokens=constant:10 output_tokens=constant:1",
			&p) < 0)
		bail_out(p.text);
	formula();
	saturated();
	near_the_limit();
	none();
	limited();
	rate_steps();
	fleets();
	too_long();
	fixed();
	sessions();
	ini_free(&c);
	return done();
}
