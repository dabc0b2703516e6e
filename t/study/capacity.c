/* Searches the highest rate that meets its bounds, for services with a
 * capacity that can be computed by hand. */
#include "study/capacity.h"
#include "engine/engine.h"
#include "keys/keys.h"
#include "tap.h"
#include "workload_of.h"

static struct problem p;

/* ---- bounds ---- */

static void bounds_are(const char *text, const char *name, double limit)
{
	struct bounds b;
	int rc = bounds_parse(&b, "--slo", text, &p);
	ok(rc == 0 && b.n > 0 && b.bound[b.n - 1].limit == limit, "%s", text);
	is(rc == 0 ? b.bound[b.n - 1].metric->name : p.text, name, "is %s",
	   name);
}

static void bounds_refused(const char *text, const char *want)
{
	struct bounds b;
	int rc = bounds_parse(&b, "--slo", text, &p);
	if (!ok(rc < 0 && p.code == EXIT_USAGE && strstr(p.text, want) &&
		    !strncmp(p.text, "--slo", 5),
		"'%s' is refused: %s", text, want))
		printf("# got %s\n", p.text);
}

static void bounds(void)
{
	bounds_are("ttft_p99_ms=500", "p99_ttft_ms", 500);
	bounds_are("p99_ttft_ms=500", "p99_ttft_ms", 500);
	bounds_are("tpot_p50_ms=1.5", "median_tpot_ms", 1.5);
	bounds_are("ttft_p99_ms=500,e2el_mean_ms=1e3", "mean_e2el_ms", 1000);
	bounds_refused("ttft_p98_ms=1", "no such latency");
	bounds_refused("completed=1", "no such latency");
	bounds_refused("ttft_p99_ms", "not metric=limit");
	bounds_refused("", "not metric=limit");
	bounds_refused("ttft_p99_ms=", "not a time above 0 ms");
	bounds_refused("ttft_p99_ms=0", "not a time above 0 ms");
	bounds_refused("ttft_p99_ms=-1", "not a time above 0 ms");
	bounds_refused("ttft_p99_ms=inf", "not a time above 0 ms");
	bounds_refused("ttft_p99_ms=1ms", "not a time above 0 ms");
	char many[700] = "ttft_p99_ms=1";
	for (int i = 0; i < CAPACITY_BOUNDS; i++)
		strcat(many, ",ttft_p99_ms=1");
	bounds_refused(many, "more than 16 bounds");
}

/* ---- a service that takes 1 ms a request, one at a time ---- */

static int32_t eval(void *inst, const sc_step *step, sc_result *out,
		    sc_error *err)
{
	(void)inst, (void)step, (void)err;
	out->total_us = 1000;
	return SC_OK;
}
static void nothing(void *inst)
{
	(void)inst;
}
static const sc_plugin plugin = {.size = sizeof plugin,
				 .abi_major = SC_ABI_MAJOR,
				 .name = "millisecond",
				 .destroy = nothing,
				 .eval = eval};

static struct capacity found;
static struct bounds wanted;

static int search(const char *keys, const char *slo, double precision,
		  uint64_t max_model_len, FILE *said)
{
	struct engine e = {.parallel = {.tp = 1, .pp = 1, .ep = 1, .dp = 1},
			   .step_ranks = 1,
			   .max_num_seqs = 1,
			   .max_num_batched_tokens = 2048,
			   .block_size = 16,
			   .num_gpu_blocks = ENGINE_UNLIMITED,
			   .max_model_len = (uint32_t)max_model_len,
			   .graph_max_tokens = 512,
			   .replicas = 1,
			   .ranks = 1,
			   .lockstep_ranks = 1};
	struct workload_keys k;
	struct ini c;
	struct cost cost = {.p = &plugin};
	if (workload_of(&k, &c, keys, &p) < 0 ||
	    bounds_parse(&wanted, "--slo", slo, &p) < 0)
		bail_out(p.text);
	void *memory = calloc(1, simulation_step_bytes(&e));
	const struct capacity_task t = {
	    .engine = &e,
	    .cost = (struct cost *const[]){&cost, &cost},
	    .workload = &k,
	    .cfg = &c,
	    .bounds = &wanted,
	    .precision = precision,
	    .said = said,
	    .step_memory = memory};
	p = (struct problem){0};
	int rc = capacity_search(&t, &found, &p);
	free(memory);
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
	near(found.value[0], 1, .1, "there a first token takes 1 ms");
	ok(found.broken_scale > found.scale &&
	       found.broken_scale <= found.scale * 1.001 * (1 + 1e-12),
	   "the lowest that is not met lies within the precision");
	is(capacity_broken_by(&found, &wanted), "p99_ttft_ms",
	   "what broke there");
	ok(found.broken_value > 1.1 && found.broken_bound == 0,
	   "by more than its bound");
	ok(found.requests == 200 && found.completed == 200 &&
	       found.rejected == 0 && found.n_tried > 10,
	   "with all requests served");
}

static void the_same_rates(void)
{
	struct capacity first = found;
	search(STEADY, "ttft_p99_ms=1.1", .001, 0, NULL);
	ok(first.scale == found.scale && first.n_tried == found.n_tried,
	   "a second search tries the same rates");
	search(STEADY, "ttft_p99_ms=1.1", .1, 0, NULL);
	ok(found.n_tried < first.n_tried && found.scale <= first.scale * 1.001,
	   "less precise, with fewer of them");
}

static void by_load(void)
{
	ok(search(STEADY, "e2el_mean_ms=1e9", .01, 0, NULL) == 0 &&
	       found.verdict == CAPACITY_FOUND &&
	       !strcmp(capacity_broken_by(&found, &wanted), "saturation"),
	   "without a bound that matters, overload ends it: %.0f",
	   found.request_rate);
	ok(isnan(found.broken_value), "no value broke");
}

static void none_or_all(void)
{
	ok(search(STEADY, "ttft_mean_ms=.5", .01, 0, NULL) == 0 &&
	       found.verdict == CAPACITY_NONE &&
	       !strcmp(capacity_broken_by(&found, &wanted), "mean_ttft_ms"),
	   "a bound below a step is met at no rate");
	ok(search("num_requests=1 request_rate=100 input_tokens=constant:10 "
		  "output_tokens=constant:1",
		  "ttft_mean_ms=5", .01, 0, NULL) == 0 &&
	       found.verdict == CAPACITY_OPEN && isnan(found.broken_scale) &&
	       !*capacity_broken_by(&found, &wanted),
	   "one request breaks nothing at any rate");
	is(capacity_verdict_name[CAPACITY_FOUND], "found", "names");
	is(capacity_verdict_name[CAPACITY_NONE], "none", "of");
	is(capacity_verdict_name[CAPACITY_OPEN], "open", "verdicts");
	ok(search(STEADY, "tpot_mean_ms=5", .1, 0, NULL) == 0 &&
	       found.verdict == CAPACITY_FOUND && isnan(found.value[0]),
	   "requests of one token have no TPOT");
}

/* A request that can never be served ends the search at once. */
static void hopeless(void)
{
	char said[400] = "";
	FILE *f = fmemopen(said, sizeof said, "w");
	ok(search("num_requests=20 request_rate=100 "
		  "input_tokens=uniform:10,30 output_tokens=constant:1",
		  "ttft_mean_ms=5", .01, 20, f) == 0 &&
	       found.verdict == CAPACITY_NONE && found.n_tried == 1 &&
	       found.rejected > 0,
	   "rejected requests: one rate is enough");
	fclose(f);
	is(capacity_broken_by(&found, &wanted), "rejection", "and why");
	ok(strstr(said, "requests rejected") != NULL, "which is said: %s",
	   said);
}

int main(void)
{
	bounds();
	met();
	the_same_rates();
	by_load();
	none_or_all();
	hopeless();
	return done();
}
