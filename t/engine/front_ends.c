/* Which times of a preset are in force outside of steps. */
#include "engine/front_ends.h"
#include "engine/keys/rows.h"
#include "engine/presets.h"
#include "engine_of.h"
#include "tap.h"

static const char *set_by(const sc_preset *p, const char *key)
{
	for (const char *const *v = p ? p->values : NULL; v && v[0]; v += 2)
		if (!strcmp(v[0], key))
			return v[1];
	return "";
}

static uint32_t pairs(const sc_preset *p)
{
	uint32_t n = 0;
	while (p->values[2 * n])
		n++;
	return n;
}

/* All that a preset sets without its times, and some more; no key is set
 * twice, and the engine reads each. */
static uint32_t defaults_are_bad(enum engine_preset preset, int is_apart)
{
	struct engine_defaults with, without;
	const sc_preset *a =
	    engine_defaults(&with, preset, FRONT_END_MEASURED, is_apart);
	const sc_preset *b =
	    engine_defaults(&without, preset, FRONT_END_NONE, is_apart);
	uint32_t bad = pairs(b) != pairs(engine_preset(preset));
	for (uint32_t i = 0; i < pairs(b); i++)
		bad += strcmp(set_by(a, b->values[2 * i]),
			      b->values[2 * i + 1]) != 0;
	for (uint32_t i = 0; i < pairs(a); i++) {
		const struct engine_row *r = engine_row_named(a->values[2 * i]);
		bad += !r || !engine_row_is_obeyed(r, preset);
		for (uint32_t k = 0; k < i; k++)
			bad += !strcmp(a->values[2 * i], a->values[2 * k]);
	}
	return bad + (pairs(a) <= pairs(b)) +
	       !engine_front_end_source(preset, is_apart)[0];
}

static void tables(void)
{
	uint32_t bad = 0;
	struct engine_defaults to;
	for (uint32_t i = 1; i < ENGINE_N_PRESETS; i++)
		for (int is_apart = 0; is_apart < 2; is_apart++)
			bad +=
			    defaults_are_bad((enum engine_preset)i, is_apart);
	ok(bad == 0, "each preset has times, of keys that its engine reads");
	ok(!engine_defaults(&to, PRESET_NONE, FRONT_END_MEASURED, 0) &&
	       !engine_front_end_source(PRESET_NONE, 1),
	   "without a preset there are none");
}

#define PRESET_024 "[engine]\npreset = vllm-0.24\n"
static int times_are(const char *text, double before, double each)
{
	return keys_of(text) == 0 && keys.api_overhead_us == before &&
	       keys.api_request_us == each;
}

static void in_force(void)
{
	ok(times_are(PRESET_024, 15000, 2500) &&
	       keys.front_end == FRONT_END_MEASURED && keys.proxy_us == 0,
	   "a preset brings them");
	ok(times_are(PRESET_024 "front_end = none\n", 0, 0) &&
	       keys.kv_connector == KV_PULL,
	   "none leaves them out, and nothing else");
	ok(times_are(PRESET_024 "api_overhead_us = 7\n", 7, 2500),
	   "a time that is given counts");
	ok(times_are(PRESET_024 "front_end = none\napi_overhead_us = 7\n", 7,
		     0),
	   "in either case");
	ok(times_are("[engine]\nscheduler = tensorrt_llm\n", 18000, 3000),
	   "a scheduler stands for its preset");
	ok(times_are("", 0, 0) && keys.front_end == FRONT_END_NONE,
	   "no preset, no times");
	ok(times_are("[engine]\nfront_end = none\n", 0, 0),
	   "which may be said");
	ok(keys_of("[engine]\nfront_end = measured\n") < 0 &&
	       strstr(problem.text, "front_end"),
	   "but measured needs one: %s", problem.text);
	ok(engine_of(PRESET_024 "max_num_seqs = 8\n"
				"max_num_batched_tokens = 64\n",
		     &h100) == 0 &&
	       e.api_overhead_ns == 15000000 && e.api_token_ns == 500,
	   "the engine has them: %s", problem.text);
}

static void arms(void)
{
	const struct engine_source of_arm = {.arm = "cost_model:a"};
	ok(keys_from(PRESET_024 "[cost_model:a]\nengine.front_end = none\n",
		     of_arm) == 0 &&
	       keys.api_overhead_us == 0,
	   "an arm may do without");
	ok(keys_from("[engine]\nfront_end = measured\n"
		     "[cost_model:a]\nengine.preset = none\n",
		     of_arm) < 0 &&
	       strstr(problem.text, "needs a preset"),
	   "an arm without a preset cannot have them: %s", problem.text);
}

static void handovers(void)
{
	ok(times_are(PRESET_024 "replicas = 2\nprefill_replicas = 1\n", 0, 0) &&
	       keys.proxy_us == 65000 && keys.kv_transfer_latency_us == 65000 &&
	       keys.kv_transfer_bandwidth_gbs == 30,
	   "prefill and decode apart: what a handover takes has the front "
	   "ends in it");
	for (int pool = 0; pool < 2; pool++) {
		const struct engine_source from = {
		    .pool = engine_pool_section[pool]};
		ok(keys_from("[engine]\nscheduler = sglang\n"
			     "[engine:decode]\npage_size = 16\n",
			     from) == 0 &&
		       keys.pd_fixed_us == 350000 &&
		       keys.kv_transfer_links == LINK_OF_GPU,
		   "also in a pool of its own");
	}
	ok(keys_of(PRESET_024
		   "replicas = 2\nprefill_replicas = 1\n"
		   "proxy_us = 0\nkv_transfer_bandwidth_gbs = 9\n") == 0 &&
	       keys.proxy_us == 0 && keys.kv_transfer_bandwidth_gbs == 9 &&
	       keys.kv_transfer_latency_us == 65000,
	   "one by hand counts, 0 too");
}

int main(void)
{
	tables();
	in_force();
	arms();
	handovers();
	ini_free(&ini);
	return done();
}
