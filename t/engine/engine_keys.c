/* What [engine] says, and what presets set where it says nothing. */
#include "engine/engine_keys.h"
#include "tap.h"

static struct ini ini;
static struct engine_keys keys;
static struct problem problem;
static struct engine_usage h100 = {
    .gpu = "h100-sxm", .memory_bytes = 80 * 0x1p30, .max_model_len = 131072};

static int fill(const char *text, struct engine_source from)
{
	ini_free(&ini);
	from.ini = &ini;
	problem = (struct problem){0};
	if (ini_read(&ini, text, strlen(text), &problem) ||
	    engine_keys_fill(&keys, &from, &problem))
		return -1;
	return engine_keys_complete(&keys, &from, &h100, &problem);
}

static int engine(const char *text)
{
	return fill(text, (struct engine_source){0});
}

static int under(const char *preset, const char *rest)
{
	char text[500];
	snprintf(text, sizeof text, "[engine]\npreset = %s\n%s", preset, rest);
	return engine(text);
}

static void presets(void)
{
	ok(engine("") == 0 && keys.preset == PRESET_NONE &&
	       keys.max_num_seqs == 256 && keys.max_num_batched_tokens == 2048,
	   "none: the program's own defaults");
	ok(!keys.enable_prefix_caching && !keys.async_scheduling &&
	       keys.empty_sleep_us == 0 && !engine_preset(PRESET_NONE),
	   "and nothing switched on");
	ok(under("vllm-0.15", "") == 0 && keys.preset == PRESET_VLLM_015 &&
	       keys.enable_prefix_caching && keys.async_scheduling &&
	       keys.empty_sleep_us == 1000,
	   "0.15");
	ok(!keys.scheduler_reserve_full_isl &&
	       keys.free_list == FREE_LIST_LRU && !keys.queue_empty_batches &&
	       keys.group_padding == 1.25 && keys.gpu_memory_utilization == 0.9,
	   "whose rules are the defaults");
	ok(under("vllm-0.24", "") == 0 && keys.scheduler_reserve_full_isl &&
	       keys.free_list == FREE_LIST_UNKEYED_FIRST &&
	       keys.queue_empty_batches &&
	       keys.empty_sleep_while == SLEEP_WHILE_ANY &&
	       keys.window_gate == WINDOW_GATE_ONE &&
	       keys.window_free == WINDOW_FREE_SCHEDULED &&
	       keys.group_padding == 1.5 && keys.gpu_memory_utilization == 0.92,
	   "0.24");
	ok(under("vllm-2026-07", "") == 0 &&
	       keys.window_gate == WINDOW_GATE_ALL &&
	       keys.window_free == WINDOW_FREE_PROCESSED &&
	       keys.queue_empty_batches,
	   "2026-07");
	ok(under("vllm-0.24", "free_list = lru\nwatermark = 0.1\n") == 0 &&
	       keys.free_list == FREE_LIST_LRU && keys.watermark == 0.1,
	   "a key that is given wins");
	ok(under("vllm-9", "") && strstr(problem.text, "not one of"), "%s",
	   problem.text);
	ok(engine("[engine]\nwindow_gate = one_batch\n") &&
	       strstr(problem.text, ":2: window_gate needs a preset"),
	   "%s", problem.text);
}

static int batch_is(int64_t tokens, int64_t seqs)
{
	return keys.max_num_batched_tokens == tokens &&
	       keys.max_num_seqs == seqs;
}

static void by_gpu(void)
{
	const struct engine_usage big = h100;
	ok(under("vllm-0.15", "") == 0 && batch_is(8192, 1024), "an H100");
	ok(under("vllm-0.15", "usage_context = llm_class\n") == 0 &&
	       batch_is(16384, 1024),
	   "the same offline");
	h100.gpu = "a100-80-sxm";
	ok(under("vllm-0.15", "") == 0 && batch_is(2048, 256),
	   "an A100, though it is as large");
	h100 = big;
	h100.memory_bytes = 48 * 0x1p30;
	ok(under("vllm-0.15", "") == 0 && batch_is(2048, 256), "a small one");
	ok(under("vllm-0.15", "usage_context = llm_class\n") == 0 &&
	       batch_is(8192, 256),
	   "the same offline");
	ok(under("vllm-0.15", "max_num_seqs = 2\nmax_model_len = 100\n") == 0 &&
	       batch_is(200, 2),
	   "no more tokens than all sequences have");
	ok(under("vllm-0.15", "max_num_batched_tokens = 64\n") == 0 &&
	       batch_is(64, 64),
	   "no more sequences than tokens");
	h100.memory_bytes = 0;
	ok(under("vllm-0.15", "") && strstr(problem.text, "max_num_seqs"), "%s",
	   problem.text);
	ok(under("vllm-0.15", "max_num_batched_tokens = 7\n"
			      "max_num_seqs = 9\n") == 0 &&
	       batch_is(7, 9),
	   "both given: nothing depends on it");
	h100 = big;
	h100.keeps_state = 1;
	ok(under("vllm-0.15", "") == 0 && !keys.enable_prefix_caching,
	   "prefixes of a state are not cached");
	ok(under("vllm-0.15", "enable_prefix_caching = true\n") == 0 &&
	       keys.enable_prefix_caching,
	   "unless asked for");
	h100 = big;
}

static void layers(void)
{
	const struct engine_source arm = {.arm = "cost_model:x"};
	const struct engine_source pool = {.pool = "engine:decode"};
	const char *text = "[engine]\nblock_size = 8\nmax_num_seqs = 3\n"
			   "[engine:decode]\nmax_num_seqs = 5\n"
			   "preset = vllm-0.24\n"
			   "[cost_model:x]\nengine.block_size = 32\n"
			   "engine.preset = vllm-0.15\n";
	ok(engine(text) == 0 && keys.block_size == 8 &&
	       keys.preset == PRESET_NONE,
	   "[engine] alone");
	ok(fill(text, arm) == 0 && keys.block_size == 32 &&
	       keys.max_num_seqs == 3 && keys.preset == PRESET_VLLM_015,
	   "an arm's keys over it, preset and all");
	ok(fill(text, pool) == 0 && keys.block_size == 8 &&
	       keys.max_num_seqs == 5 && keys.preset == PRESET_VLLM_024,
	   "a pool's");
	ok(fill("[cost_model:x]\nengine.block_size = 0\n", arm) &&
	       strstr(problem.text, ":2: engine.block_size = 0: not"),
	   "%s", problem.text);
}

int main(void)
{
	presets();
	by_gpu();
	layers();
	ini_free(&ini);
	return done();
}
