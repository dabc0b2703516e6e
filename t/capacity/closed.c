/* Closed loops with an answer that can be worked out: one request at a time,
 * 1 ms each, so with C clients that do not think every request waits for C - 1
 * others, and its TTFT is C ms. */
#include "capacity/search.h"
#include "millisecond.h"

static struct capacity find(const char *slo)
{
	struct capacity x;
	struct capacity_task t = task(slo);
	if (capacity_find(&t, &x, &p) < 0)
		bail_out(p.text);
	return x;
}

static void certain(void)
{
	struct capacity x = find("ttft_mean_ms=5.5");
	ok(x.verdict == CAPACITY_FOUND && x.clients == 5 &&
	       x.clients_low == 5 && x.clients_high == 5 && x.replications == 1,
	   "a mean of 5.5 ms: 5 clients, and nothing is random: %d",
	   (int)x.clients);
	near(x.request_rate, 1000, 0.01,
	     "which the engine serves at its limit");
	near(x.seen.value[0], 5, 0.05, "in 5 ms each");
	ok(x.limited_by == 0 && isnan(x.scale), "limited by the bound");
	x = find("ttft_p99_ms=40.5");
	ok(x.clients == 40,
	   "a p99 of 40.5 ms: 40 clients, whose burst at the start does not "
	   "count: %d",
	   (int)x.clients);
	k.concurrency = 300;
	x = find("ttft_mean_ms=5.5");
	ok(x.clients == 5, "from whatever number the search begins");
	k.concurrency = 2;
	e.max_num_seqs = 4;
	x = find("tpot_p99_ms=100");
	ok(x.verdict == CAPACITY_FOUND && x.clients == 1000 &&
	       x.limited_by == LIMITED_BY_SATURATION,
	   "a bound that no number breaks: %d", (int)x.clients);
	e.max_num_seqs = 1;
}

static void none(void)
{
	struct capacity x = find("ttft_mean_ms=0.5");
	ok(x.verdict == CAPACITY_NONE && x.simulations == 1 &&
	       x.limited_by == 0,
	   "one client alone is too slow: none, after one simulation");
}

static void at_random(void)
{
	k.think_time_s = "exponential:0.01";
	struct capacity x = find("ttft_mean_ms=5");
	ok(x.verdict == CAPACITY_FOUND && x.replications >= 10 &&
	       x.clients_low <= x.clients && x.clients <= x.clients_high &&
	       x.stopped_by == STOP_PRECISION,
	   "clients that think: %d, %d to %d", (int)x.clients,
	   (int)x.clients_low, (int)x.clients_high);
	/* One more than the server holds back: N - X z clients wait. */
	near((double)x.clients,
	     x.request_rate * (0.01 + x.seen.value[0] / 1000), 0.05,
	     "Little's law");
	k.think_time_s = "0";
}

int main(void)
{
	if (workload_of(&k, &c,
			"num_requests=1000 concurrency=3 "
			"input_tokens=constant:10 output_tokens=constant:1",
			&p) < 0)
		bail_out(p.text);
	certain();
	none();
	at_random();
	ini_free(&c);
	return done();
}
