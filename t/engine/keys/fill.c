/* What [engine] says, and what presets set where it says nothing. */
#include "engine/keys/fill.h"
#include "engine_of.h"
#include "tap.h"

static int under(const char *preset, const char *rest)
{
	char text[500];
	snprintf(text, sizeof text, "[engine]\npreset = %s\n%s", preset, rest);
	return keys_of(text);
}

static void no_preset(void)
{
	ok(keys_of("") == 0 && keys.preset == PRESET_NONE &&
	       keys.max_num_seqs == 256 && keys.max_num_batched_tokens == 2048,
	   "none: the program's own defaults");
	ok(!keys.enable_prefix_caching && !keys.async_scheduling &&
	       keys.empty_sleep_us == 0,
	   "and nothing switched on");
	ok(keys_of("[engine]\nwindow_gate = one_batch\n") &&
	       strstr(problem.text, ":2: window_gate needs a preset"),
	   "%s", problem.text);
}

static void vllm(void)
{
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
	ok(under("vllm-9", "") &&
	       strstr(problem.text, "vllm-2026-07 stands for 0.26 and later"),
	   "%s", problem.text);
	ok(under("vlm", "") && strstr(problem.text, "not one of"), "%s",
	   problem.text);
}

/* What SGLang and TensorRT-LLM call the same. */
static void adopted(void)
{
	ok(keys_of("[engine]\nscheduler = sglang\npage_size = 4\n"
		   "mem_fraction_static = 0.5\ndisable_radix_cache = true\n"
		   "max_running_requests = 9\nchunked_prefill_size = 64\n") ==
		   0 &&
	       keys.preset == PRESET_SGLANG && keys.block_size == 4 &&
	       keys.gpu_memory_utilization == 0.5 &&
	       !keys.enable_prefix_caching && keys.async_scheduling &&
	       keys.max_num_seqs == 9 && keys.max_num_batched_tokens == 64,
	   "SGLang's names");
	keys.chunked_prefill_size = -1;
	engine_keys_adopt(&keys);
	ok(keys.max_num_batched_tokens == keys.max_prefill_tokens,
	   "a step without chunks has whole prompts");
	ok(keys_of("[engine]\npreset = tensorrt_llm\nmax_batch_size = 7\n"
		   "tokens_per_block = 64\nenable_block_reuse = false\n"
		   "disable_overlap_scheduler = true\n") == 0 &&
	       keys.scheduler == SCHEDULER_TENSORRT_LLM &&
	       keys.max_num_seqs == 7 && keys.block_size == 64 &&
	       !keys.enable_prefix_caching && !keys.async_scheduling &&
	       keys.max_num_batched_tokens == 8192 &&
	       keys.gpu_memory_utilization == 0.9,
	   "TensorRT-LLM's");
}

/* Of [engine], for arms that name an engine of their own. */
static void unread(void)
{
	const struct engine_source arm = {.arm = "cost_model:x"};
	ok(keys_from("[engine]\nmax_num_seqs = 3\nfree_list = unkeyed_first\n"
		     "[cost_model:x]\nengine.scheduler = sglang\n",
		     arm) == 0 &&
	       keys.max_num_seqs == 4096 && keys.free_list == FREE_LIST_LRU,
	   "what belongs to other arms' engine changes nothing");
}

/* Do results have the key? */
static int has(const char *name)
{
	char *text = NULL, quoted[100];
	size_t size;
	struct jw j;
	FILE *f = open_memstream(&text, &size);
	if (!f)
		bail_out("out of memory");
	jw_start(&j, f);
	jw_object(&j, NULL);
	engine_keys_write(&j, &keys);
	jw_end(&j);
	jw_finish(&j);
	fclose(f);
	snprintf(quoted, sizeof quoted, "\"%s\": ", name);
	int found = strstr(text, quoted) != NULL;
	free(text);
	return found;
}

static void written(void)
{
	keys_of("");
	ok(has("preset") && has("free_gpu_memory_fraction") &&
	       !has("draft_us") && !has("model_runner"),
	   "results have the keys, and no drafts");
	keys_of("[engine]\npreset = vllm-0.24\npipeline_parallel_size = 2\n");
	ok(has("draft_us") && has("model_runner"), "unless there are stages");
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
	ok(keys_of(text) == 0 && keys.block_size == 8 &&
	       keys.preset == PRESET_NONE,
	   "[engine] alone");
	ok(keys_from(text, arm) == 0 && keys.block_size == 32 &&
	       keys.max_num_seqs == 3 && keys.preset == PRESET_VLLM_015,
	   "an arm's keys over it, preset and all");
	ok(keys_from(text, pool) == 0 && keys.block_size == 8 &&
	       keys.max_num_seqs == 5 && keys.preset == PRESET_VLLM_024,
	   "a pool's");
	ok(keys_from("[cost_model:x]\nengine.block_size = 0\n", arm) &&
	       strstr(problem.text, ":2: engine.block_size = 0: not"),
	   "%s", problem.text);
}

int main(void)
{
	no_preset();
	vllm();
	adopted();
	unread();
	written();
	layers();
	ini_free(&ini);
	return done();
}
