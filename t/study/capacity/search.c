/* The capacity of a queue that has a formula: Poisson arrivals, 1 ms for each
 * request, one at a time (M/D/1).  Its mean wait is rho / (2 (1 - rho)) ms
 * (Pollaczek and Khinchine), so a mean TTFT of 2 ms is reached at 2/3 of the
 * service rate: 666.7 requests/s. */
#include "study/capacity/search.h"
#include "engine/engine.h"
#include "keys/keys.h"
#include "tap.h"
#include "workload_of.h"

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

static struct problem p;
static struct engine e = {.parallel = {.tp = 1, .pp = 1, .ep = 1, .dp = 1},
			  .step_ranks = 1,
			  .max_num_seqs = 1,
			  .max_num_batched_tokens = 2048,
			  .block_size = 16,
			  .num_gpu_blocks = ENGINE_UNLIMITED,
			  .graph_max_tokens = 512,
			  .replicas = 1,
			  .ranks = 1,
			  .lockstep_ranks = 1};
static struct workload_keys k;
static struct ini c;
static struct bounds wanted;
static struct cost cost = {.p = &plugin};
static struct cost *both[] = {&cost, &cost};
static struct capacity_search s;

static struct capacity_task task(const char *slo)
{
	if (bounds_parse(&wanted, "--slo", slo, &p) < 0)
		bail_out(p.text);
	static void *memory;
	if (!memory)
		memory = calloc(1, simulation_step_bytes(&e));
	return (struct capacity_task){.engine = &e,
				      .cost = both,
				      .workload = &k,
				      .cfg = &c,
				      .bounds = &wanted,
				      .precision = 0.03,
				      .confidence = 0.9,
				      .request_limit = 2000000,
				      .max_rejected = 0.001,
				      .step_memory = memory};
}

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
	none();
	in_stages();
	fixed();
	ini_free(&c);
	return done();
}
