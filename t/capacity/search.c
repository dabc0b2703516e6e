/* The capacity of a queue that has a formula: Poisson arrivals, 1 ms for each
 * request, one at a time (M/D/1).  Its mean wait is rho / (2 (1 - rho)) ms
 * (Pollaczek and Khinchine), so a mean TTFT of 2 ms is reached at 2/3 of the
 * service rate: 666.7 requests/s. */
#include "capacity/search.h"
#include "millisecond.h"

static struct capacity_search s;

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
		       capacity_half_width(&x) <= 0.03 && x.replications >= 10,
		   "narrow enough, from ten replications or more");
	}
	ok(held >= 3, "%d of 5 intervals of 90 %% hold the formula's", held);
	near(x.saturation_rate, 1000, 0.02, "no rate above 1000 is stable");
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
	ok(x.low < 1000 && x.high > 990 && x.request_rate < 1000,
	   "just below 1000: %.1f, %.1f to %.1f", x.request_rate, x.low,
	   x.high);
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
	near(x.value[0], 1, 0.01, "and the value is the unloaded one");
}

static void in_stages(void)
{
	struct capacity whole;
	struct capacity_task t = task("ttft_mean_ms=2");
	if (capacity_find(&t, &whole, &p) < 0 ||
	    capacity_pilot(&t, &s, &p) < 0 ||
	    capacity_refine(&t, &s, 0.1, &p) < 0)
		bail_out(p.text);
	ok(!s.is_over || capacity_half_width(&s.answer) <= 0.03,
	   "a coarse goal leaves the search open");
	if (capacity_refine(&t, &s, 0.03, &p) < 0)
		bail_out(p.text);
	ok(s.answer.request_rate == whole.request_rate &&
	       s.answer.low == whole.low &&
	       s.answer.requests_simulated == whole.requests_simulated,
	   "in stages the answer is the same to the bit");
	t.request_limit = 40000;
	t.precision = 0.002;
	struct capacity x;
	if (capacity_find(&t, &x, &p) < 0)
		bail_out(p.text);
	ok(x.stopped_by == STOP_LIMIT && x.requests_simulated <= 60000 &&
	       x.high > x.low,
	   "a limit ends it with the interval so far");
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
	in_stages();
	fixed();
	ini_free(&c);
	return done();
}
