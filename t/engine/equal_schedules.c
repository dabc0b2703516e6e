/* Which differences between engines are another schedule. */
#include "engine/equal_schedules.h"
#include "engine/pools.h"
#include "engine_of.h"
#include "tap.h"

/* By what an engine differs from that of a text; "": by nothing. */
static const char *by(const char *text, const char *other)
{
	static struct engine a;
	if (engine_of(text, &h100) < 0)
		bail_out(problem.text);
	a = e;
	if (engine_of(other, &h100) < 0)
		bail_out(problem.text);
	const char *key = engine_difference(&a, &e);
	if (engine_schedules_are_equal(&a, &e) != !key)
		bail_out("two answers");
	return key ? key : "";
}

static void keys_differ(void)
{
	is(by("", ""), "", "the same engine");
	is(by("", "[engine]\nblock_size = 32\n"), "block_size",
	   "a key that is copied");
	is(by("", "[engine]\nmax_num_seqs = 32\n"), "max_num_seqs",
	   "one that a field is made of");
	is(by("", "[engine]\ngpu_memory_utilization = 0.8\n"), "num_gpu_blocks",
	   "one that changes the cache");
	is(by("[engine]\nnum_gpu_blocks = 9999\n",
	      "[engine]\nnum_gpu_blocks = 9999\n"
	      "gpu_memory_utilization = 0.8\n"),
	   "", "where it is not given");
	is(by("", "[engine]\nsampling = greedy\n"), "", "one that costs");
	is(by("[slo]\nttft_ms = 1\n", ""), "", "an SLO");
}

static void parts_differ(void)
{
#define STARTS "[engine]\nfirst_step_us = 100\n"
	is(by("", "[engine]\ngraph_max_tokens = 8\n"), "", "graphs");
	is(by(STARTS, STARTS "graph_max_tokens = 8\n"), "graph_max_tokens",
	   "where a step without one waits");
	is(by("[engine]\nscheduler = sglang\nnum_gpu_blocks = 9000\n"
	      "max_running_requests = 9\n"
	      "chunked_prefill_size = 64\n",
	      "[engine]\nscheduler = sglang\nnum_gpu_blocks = 9000\n"
	      "max_running_requests = 9\n"
	      "chunked_prefill_size = 32\n"),
	   "sglang.chunk", "a rule of SGLang's");
	is(by("", "[engine]\nreplicas = 2\n"), "replicas", "replicas");
}

/* Two pools, against one engine that is the same as the second. */
static void pools(void)
{
	static struct engine decode, one, other;
	engine_of("[engine]\nblock_size = 32\n", &h100);
	decode = e;
	engine_of("", &h100);
	one = other = e;
	engine_join(&one, &decode, NULL, &problem);
	is(engine_difference(&one, &other), "prefill_replicas", "a pool more");
	engine_join(&other, &e, NULL, &problem);
	is(engine_difference(&one, &other), "decode", "another pool");
	other.decode = &decode;
	ok(engine_schedules_are_equal(&one, &other), "the same pools");
}

static void effects(void)
{
#define EFFECT(key) engine_row_effect(engine_row_named(key))
	ok(EFFECT("block_size") == EFFECT_SCHEDULE &&
	       EFFECT("page_size") == EFFECT_SCHEDULE &&
	       EFFECT("max_num_seqs") == EFFECT_SCHEDULE &&
	       EFFECT("sampling") == EFFECT_PRICE &&
	       EFFECT("decode_cost_model") == EFFECT_PRICE,
	   "what a key changes, by its field or by what it stands for");
}

int main(void)
{
	keys_differ();
	parts_differ();
	pools();
	effects();
	ini_free(&ini);
	return done();
}
