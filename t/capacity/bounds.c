/* Bounds: names, scores, refusals. */
#include "capacity/bounds.h"
#include "tap.h"

static struct bounds b;
static struct problem p;

static void names(void)
{
	int rc = bounds_parse(
	    &b, "--slo",
	    "ttft_p99_ms=500,p50_tpot_ms=20,mean_itl_ms=9,goodput=0.95", &p);
	ok(rc == 0 && b.n == 4, "four bounds");
	is(slo_bound_name(&b.bound[0]), "p99_ttft_ms", "a kind, then p99");
	is(slo_bound_name(&b.bound[1]), "median_tpot_ms", "p50 is the median");
	is(slo_bound_name(&b.bound[3]), "goodput", "goodput");
	ok(b.bound[0].percentile == 0.99 && b.bound[2].percentile == 0,
	   "a percentile, and a mean");
	ok(bounds_longest_s(&b) == 0.5, "the longest is 0.5 s");
}

static void scores(void)
{
	near(bound_score(&b.bound[0], 501), 100, 1e-9,
	     "1 of 100 may exceed a p99: it scores 100");
	ok(bound_score(&b.bound[0], 500) == 0, "at the limit it does not");
	near(bound_score(&b.bound[2], 4.5), 0.5, 1e-12,
	     "a mean scores its share of the limit");
	near(bound_score(&b.bound[3], 0), 20, 1e-9,
	     "1 of 20 may miss a goodput of 0.95");
	ok(bound_score(&b.bound[3], 1) == 0, "a good request scores nothing");
}

static void refused(const char *text, const char *want)
{
	p = (struct problem){0};
	int rc = bounds_parse(&b, "--slo", text, &p);
	ok(rc < 0 && p.code == EXIT_USAGE && strstr(p.text, want), "%s: %s",
	   text, p.text);
}

/* An interval up to 1.5 times the prediction asks for bounds of 2/3. */
static void tightened(void)
{
	struct trusted t = {0};
	struct bounds from, to;
	for (int k = 0; k < N_TRUSTED; k++) {
		t.interval[k].high = 1.5;
		t.interval[k].n = !strcmp(trusted_metric[k], "p99_tpot_ms");
	}
	bounds_parse(&from, "--slo", "p99_tpot_ms=30,mean_ttft_ms=500", &p);
	ok(trusted_bounds(&t, &from, &to) && to.bound[0].limit == 20 &&
	       to.bound[1].limit == 500,
	   "a bound with an interval is divided by its upper end");
	bounds_parse(&from, "--slo", "mean_ttft_ms=500", &p);
	ok(!trusted_bounds(&t, &from, &to), "or none is");
}

int main(void)
{
	names();
	tightened();
	scores();
	refused("ttft_p98_ms=5", "no such latency");
	refused("std_ttft_ms=5", "no such latency");
	refused("ttft_p99_ms=0", "not a time above 0 ms");
	refused("ttft_p99_ms=inf", "not a time above 0 ms");
	refused("ttft_p99_ms", "a bound is METRIC=LIMIT");
	refused("goodput=1", "between 0 and 1");
	refused("", "metrics are {ttft,tpot,itl,e2el}_");
	refused("completed=1", "no such latency");
	refused("ttft_p99_ms=", "not a time above 0 ms");
	refused("ttft_p99_ms=-1", "not a time above 0 ms");
	refused("ttft_p99_ms=1ms", "without a unit: ttft_p99_ms=1");
	refused("ttft_p99_ms=0.5s", "without a unit: ttft_p99_ms=500");
	refused("ttft_p99_ms=2500us", "without a unit: ttft_p99_ms=2.5");
	refused("ttft_p99_ms=-1s", "not a time above 0 ms");
	refused("ttft_p99_ms=1h", "not a time above 0 ms");
	refused("ttft_p99_ms=1,p99_ttft_ms=2",
		"p99_ttft_ms has a bound already");
	/* Sixteen latencies and goodput. */
	static const char *const latency[] = {"ttft", "tpot", "itl", "e2el"};
	static const char *const of[] = {"mean", "p50", "p95", "p99"};
	char many[700] = "goodput=0.9";
	for (int i = 0; i < CAPACITY_BOUNDS; i++)
		sprintf(many + strlen(many), ",%s_%s_ms=1", latency[i / 4],
			of[i % 4]);
	refused(many, "more than 16 bounds");
	return done();
}
