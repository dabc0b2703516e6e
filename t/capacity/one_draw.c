/* Searches the highest rate at which one draw of requests meets its bounds. The
 * capacity of the service here is known by hand. */
#include "capacity/one_draw.h"
#include "millisecond.h"

static struct capacity found;

static int search(const char *keys, const char *slo, double precision,
		  uint64_t max_model_len, FILE *said)
{
	e.max_model_len = (uint32_t)max_model_len;
	if (workload_of(&k, &c, keys, &p) < 0)
		bail_out(p.text);
	struct capacity_task t = task(slo);
	t.precision = precision;
	t.said = said;
	p = (struct problem){0};
	int rc = capacity_one_draw(&t, &found, &p);
	ini_free(&c);
	return rc;
}

#define STEADY                                                                 \
	"num_requests=200 arrival=constant request_rate=100 "                  \
	"input_tokens=constant:10 output_tokens=constant:1"

/* Up to 1000 requests/s no request waits.  Beyond that rate each waits longer
 * than the one before. */
static void met(void)
{
	ok(search(STEADY, "ttft_p99_ms=1.1", .001, 0, NULL) == 0 &&
	       found.verdict == CAPACITY_FOUND,
	   "a rate is found: %s", p.text);
	ok(found.request_rate <= 1005 && found.request_rate >= 1000 * .995,
	   "a thousand requests/s: %.1f", found.request_rate);
	near(found.request_rate, 100 * found.scale, .01,
	     "which is that many times the workload's own");
	near(found.seen.value[0], 1, .1, "there a first token takes 1 ms");
	ok(found.high > found.request_rate &&
	       found.high <= found.request_rate * 1.0011,
	   "the lowest that is not met lies within the precision");
	is(capacity_limited_by(&found, &wanted), "p99_ttft_ms",
	   "what broke there");
	ok(found.limited_by == 0 && found.basis == BASIS_ONE_DRAW,
	   "the first bound, for one draw");
	ok(found.seen.requests == 200 && found.seen.completed == 200 &&
	       found.seen.rejected == 0 && found.simulations > 10,
	   "with all requests served");
}

static void the_same_rates(void)
{
	struct capacity first = found;
	search(STEADY, "ttft_p99_ms=1.1", .001, 0, NULL);
	ok(first.scale == found.scale && first.simulations == found.simulations,
	   "a second search tries the same rates");
	search(STEADY, "ttft_p99_ms=1.1", .1, 0, NULL);
	ok(found.simulations < first.simulations &&
	       found.scale <= first.scale * 1.001,
	   "less precise, with fewer of them");
}

static void by_load(void)
{
	ok(search(STEADY, "e2el_mean_ms=1e9", .01, 0, NULL) == 0 &&
	       found.verdict == CAPACITY_FOUND &&
	       !strcmp(capacity_limited_by(&found, &wanted), "saturation"),
	   "without a bound that matters, overload ends it: %.0f",
	   found.request_rate);
}

static void none_or_all(void)
{
	ok(search(STEADY, "ttft_mean_ms=.5", .01, 0, NULL) == 0 &&
	       found.verdict == CAPACITY_NONE &&
	       !strcmp(capacity_limited_by(&found, &wanted), "mean_ttft_ms"),
	   "a bound below a step is met at no rate");
	ok(search("num_requests=1 request_rate=100 input_tokens=constant:10 "
		  "output_tokens=constant:1",
		  "ttft_mean_ms=5", .01, 0, NULL) == 0 &&
	       found.verdict == CAPACITY_FOUND && isinf(found.high),
	   "one request breaks nothing at any rate");
	is(capacity_verdict_name[CAPACITY_FOUND], "found", "names");
	is(capacity_verdict_name[CAPACITY_NONE], "none", "of");
	ok(search(STEADY, "tpot_mean_ms=5", .1, 0, NULL) == 0 &&
	       found.verdict == CAPACITY_FOUND && isnan(found.seen.value[0]),
	   "requests of one token have no TPOT");
}

/* A request that can never be served ends the search at once. */
static void unschedulable(void)
{
	char said[400] = "";
	FILE *f = fmemopen(said, sizeof said, "w");
	ok(search("num_requests=20 request_rate=100 "
		  "input_tokens=uniform:10,30 output_tokens=constant:1",
		  "ttft_mean_ms=5", .01, 20, f) == 0 &&
	       found.verdict == CAPACITY_NONE && found.simulations == 1 &&
	       found.seen.rejected > 0,
	   "rejected requests: one rate is enough");
	fclose(f);
	is(capacity_limited_by(&found, &wanted), "rejection", "and why");
	ok(strstr(said, "requests rejected") != NULL, "which is said: %s",
	   said);
}

int main(void)
{
	met();
	the_same_rates();
	by_load();
	none_or_all();
	unschedulable();
	return done();
}
