/* Rates of workloads, and their keys at another one. */
#include "capacity/rate.h"
#include "keys/keys.h"
#include "scratch.h"

static struct workload_keys k, at;
static struct rated r;
static struct problem p;

static void fresh(void)
{
	if (knobs_fill(&k, workload_keys, n_workload_keys, NULL, NULL,
		       "workload", "", &p) < 0)
		bail_out(p.text);
	k.request_rate = 4;
	k.input_tokens = k.output_tokens = "constant:10";
	k.num_requests = 100;
}

static double base(void)
{
	if (rated_open(&r, &k, NULL, NULL, &p) < 0)
		bail_out(p.text);
	return r.base;
}

static void rates(void)
{
	fresh();
	ok(base() == 4, "as given");
	k.turns = 3;
	ok(base() == 12, "each session has its turns");
	k.turns = 1;
	k.on_s = 1, k.off_s = 3;
	ok(base() == 1, "on for a quarter of the time");
	k.on_s = 0;
	k.request_rate = 0, k.interarrival_us = 1e5;
	ok(base() == 10, "by gaps");
	k.interarrival_us = 0, k.stages = "2:10,0:10,8:5";
	near(base(), 60.0 / 25, 1e-12, "by stages");
	k.stages = "", k.request_rate = INFINITY;
	ok(base() == 1, "all at once counts as 1/s");
}

static void scaled(void)
{
	uint64_t n;
	fresh();
	base();
	ok(rated_at(&r, 8, 250, 77, &at, &n, &p) == 0 && at.rate_scale == 2 &&
	       at.num_requests == 250 && n == 250 && at.seed == 77,
	   "twice the rate, more requests, another seed");
	k.turns = 4;
	base();
	rated_at(&r, 16, 250, 77, &at, &n, &p);
	ok(n == 252, "whole sessions");
	k.turns = 1, k.on_s = 10, k.off_s = 10;
	base();
	rated_at(&r, 8, 250, 77, &at, &n, &p);
	ok(n == 480 && r.now_ns == 20000000000,
	   "two cycles of 8/s for 20 s, and the first");
	ok(fabs(rated_peak(&r) - 2) < 1e-12, "on half of the time: twice");
	rated_at(&r, 40000, 250, 77, &at, &n, &p);
	ok(at.on_s == 10.0 / 16 && n == 100000 && r.now_ns == 1250000000,
	   "a cycle of 800,000 requests is shortened to one of 50,000");
	k.on_s = 0, k.request_rate = 0, k.stages = "2:10,0:10,8:5";
	base();
	rated_at(&r, r.base, 100, 77, &at, &n, &p);
	ok(n == 180 &&
	       !strcmp(at.stages, "2:10,0:10,8:5,2:10,0:10,8:5,2:10,0:10,8:5"),
	   "stages twice through, after the first");
	rated_at(&r, r.base / 1000, 100, 77, &at, &n, &p);
	ok(!strncmp(at.stages, "2:160,0:160,8:80,2:160,", 23) && n >= 100,
	   "longer for a rate at which each would have no request: %.40s",
	   at.stages);
	rated_at_once(&r, 33, 1, &at, &n);
	ok(at.num_requests == 33 && at.rate_scale == 1 && n == 33,
	   "all at once: the rate stays");
	rated_free(&r);
}

static void chance(void)
{
	fresh();
	base();
	ok(rated_is_random(&r), "gaps at random");
	k.arrival = 1; /* constant */
	ok(!rated_is_random(&r), "constant gaps and lengths: nothing is");
	k.output_tokens = "12";
	ok(!rated_is_random(&r), "a bare number is constant");
	k.output_tokens = "uniform:1,9";
	ok(rated_is_random(&r), "lengths at random");
	fresh();
	k.concurrency = 3, k.request_rate = 0;
	uint64_t n;
	ok(base() == 1 && r.is_closed && !rated_is_random(&r),
	   "a closed loop has no gaps");
	ok(rated_at(&r, 7, 250, 77, &at, &n, &p) == 0 && at.concurrency == 7 &&
	       at.rate_scale == 1 && n == 250,
	   "its rate is a number of clients");
	k.think_time_s = "exponential:1";
	ok(rated_is_random(&r), "that think at random");
}

/* A trace at generated times keeps its rows, and replications begin at
 * different ones. */
static void retimed(void)
{
	struct problem none = {0};
	uint64_t n;
	p = none;
	fresh();
	k.trace =
	    scratch_file("t.csv", "arrival_us,input_tokens,output_tokens\n"
				  "1,5,5\n2,6,6\n");
	k.retime = 1;
	ok(base() == 4 && r.is_retimed && !r.is_timed, "%s", p.text);
	ok(rated_at(&r, 8, 250, 77, &at, &n, &p) == 0 &&
	       at.num_requests == 100 && n == 250,
	   "its own rows, for more requests than it has");
	double a = rated_begin(&r, 1, 9), b = rated_begin(&r, 2, 9);
	ok(a >= 0 && a < 1 && b >= 0 && b < 1 && a != b &&
	       rated_begin(&r, 65, 9) == a,
	   "64 places, one after the other");
	fresh();
	base();
	ok(rated_begin(&r, 1, 9) == 0, "others begin at the beginning");
}

int main(void)
{
	scratch_open();
	rates();
	retimed();
	scaled();
	chance();
	return done();
}
