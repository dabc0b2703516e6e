/* One draw at one rate: a service of 1 ms, one request at a time. */
#include "capacity/draw.h"
#include "millisecond.h"
#include "scratch.h"

static struct draw d;

static int run(const char *keys, const char *slo, double scale,
	       const struct draw_rules *rules)
{
	if (workload_of(&k, &c, keys, &p) < 0)
		bail_out(p.text);
	const struct capacity_task t = task(slo);
	p = (struct problem){0};
	int rc = draw_run(&t, scale, rules, &d, &p);
	ini_free(&c);
	return rc;
}

#define STEADY                                                                 \
	"num_requests=200 arrival=constant request_rate=100 "                  \
	"input_tokens=constant:10 output_tokens=constant:1"
static const struct draw_rules none,
    early = {.stops_early = 1},
    growing = {.stops_early = 1, .must_be_long = 1, .most_requests = 1 << 16},
    fixed = {.stops_early = 1, .must_be_long = 1};

static void verdicts(void)
{
	ok(run(STEADY, "ttft_p99_ms=1.5", 1, &none) == 0 && d.met, "met: %s",
	   p.text);
	near(d.at.request_rate, 100, 0.01, "at that rate");
	ok(run(STEADY, "ttft_p99_ms=1.5", 20, &none) == 0 && !d.met &&
	       d.at.limited_by == 0,
	   "not met at 2,000 requests/s");
}

/* Rules that end a run change no verdict. */
static void stops(void)
{
	static const char *const slo[] = {
	    "ttft_p99_ms=1.5", "ttft_mean_ms=3",     "e2el_p50_ms=10",
	    "ttft_p95_ms=20",  "queueing_mean_ms=2", "itl_p99_ms=1"};
	int alike = 1, fewer = 0;
	for (size_t i = 0; i < sizeof slo / sizeof *slo; i++)
		for (double scale = 1; scale < 200; scale *= 1.37) {
			run(STEADY, slo[i], scale, &none);
			int met = d.met;
			run(STEADY, slo[i], scale, &early);
			alike &= met == d.met;
			fewer += isnan(d.at.request_rate);
		}
	ok(alike, "the same verdicts");
	ok(fewer > 20, "many runs end early: %d", fewer);
}

/* numpy's percentile: between the 198th and the 199th of 200 for p99. */
static void enough(void)
{
	ok(draw_enough_over(200, .99) == 3 && draw_enough_over(1, .99) == 1 &&
	       draw_enough_over(101, .5) == 51,
	   "how many are enough");
	int grows = 1;
	for (uint64_t n = 1; n < 5000; n++)
		grows &=
		    draw_enough_over(n, .99) <= draw_enough_over(n + 1, .99);
	ok(grows, "of more requests not fewer");
}

static void lengths(void)
{
	ok(run("num_requests=5 arrival=constant request_rate=900 "
	       "input_tokens=constant:10 output_tokens=constant:1",
	       "ttft_p99_ms=2", 1, &fixed) == 0 &&
	       !d.met && d.is_too_short &&
	       !strcmp(capacity_limited_by(&d.at, &wanted), "too short"),
	   "five requests are too few");
	ok(run("num_requests=5 arrival=constant request_rate=900 "
	       "input_tokens=constant:10 output_tokens=constant:1",
	       "ttft_p99_ms=2", 1, &growing) == 0 &&
	       d.met && d.at.seen.requests > 5 && d.simulations > 1,
	   "twice as many, until they are enough: %d", (int)d.at.seen.requests);
	ok(run("num_requests=20 arrival=constant request_rate=1500 "
	       "input_tokens=constant:10 output_tokens=constant:1",
	       "e2el_p99_ms=1e9", 1, &growing) == 0 &&
	       !d.met && !d.is_too_short && d.at.seen.requests < 1000,
	   "a queue that grows without end needs no long run: %d",
	   (int)d.at.seen.requests);
	ok(run("num_requests=5 arrival=burst burst_size=5 request_rate=900 "
	       "input_tokens=constant:10 output_tokens=constant:1",
	       "ttft_p99_ms=1000", 1, &fixed) == 0 &&
	       !d.met,
	   "a burst says nothing of a stream");
}

/* Five rows, 1 ms apart, are over before a queue could grow. */
static void again(void)
{
	char keys[300];
	snprintf(keys, sizeof keys, "trace=%s",
		 scratch_file("trace", "arrival_us,input_tokens,output_tokens\n"
				       "0,10,1\n1100,10,1\n2200,10,1\n"
				       "3300,10,1\n4400,10,1\n"));
	ok(run(keys, "ttft_p99_ms=2", 1, &fixed) == 0 && !d.met &&
	       d.is_too_short && d.may_repeat && d.at.seen.requests == 5,
	   "a short trace that stands is too short");
	ok(run(keys, "ttft_p99_ms=2", 1, &growing) == 0 && d.met &&
	       d.at.seen.requests == 20,
	   "it comes again until it lasts: %d requests",
	   (int)d.at.seen.requests);
	near(d.at.request_rate, 1000 / 1.1, 0.01, "at the rate of the trace");
	const struct draw_rules least = {.must_be_long = 1,
					 .least_requests = 12};
	ok(run(keys, "ttft_p99_ms=2", 1, &least) == 0 && d.met &&
	       d.at.seen.requests == 15,
	   "whole times around");
	snprintf(keys, sizeof keys, "trace=%s",
		 scratch_file("trace", "arrival_us,input_tokens,output_tokens\n"
				       "7,10,1\n7,10,1\n"));
	ok(run(keys, "ttft_p99_ms=20", 1, &growing) == 0 && !d.met &&
	       d.is_too_short && !d.may_repeat,
	   "one instant cannot come again");
}

int main(void)
{
	scratch_open();
	verdicts();
	stops();
	enough();
	lengths();
	again();
	return done();
}
