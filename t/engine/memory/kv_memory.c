/* How many KV blocks there are. */
#include "engine/memory/kv_memory.h"
#include "engine_of.h"
#include "tap.h"

static void blocks(void)
{
	struct engine_facts f = h100;
	ok(engine_of("", &h100) == 0, "defaults: %s", problem.text);
	/* (0.9 · 84.9e9 − 16.06e9 − 0.9e9) / 131072 / 16 */
	ok(e.num_gpu_blocks == 28347, "auto: %s", e.blocks_text);
	ok(engine_of("[engine]\ntensor_parallel_size = 2\n", &two) == 0 &&
	       e.num_gpu_blocks == 64353,
	   "weights are shared out over tp");
	ok(engine_of("[engine]\nnum_gpu_blocks = unlimited\n", &h100) == 0 &&
	       e.num_gpu_blocks == ENGINE_UNLIMITED,
	   "%s", e.blocks_text);
	ok(engine_of("[engine]\nnum_gpu_blocks = 1234\n", &h100) == 0 &&
	       e.num_gpu_blocks == 1234,
	   "%s", e.blocks_text);
	refused("[engine]\nnum_gpu_blocks = 0\n",
		"num_gpu_blocks = 0: not auto");
	refused("[engine]\n\nnum_gpu_blocks = 12x\n",
		":3: num_gpu_blocks = 12x");
	refused("[engine]\nnum_gpu_blocks = -1\n", "-1");
	refused("[engine]\nnum_gpu_blocks = 99999999999999999999\n", "in [1");
	refused("[engine]\ngpu_memory_utilization = 0.1\n", "no room");
	f.usable_bytes = 0;
	ok(engine_of("", &f) && strstr(problem.text, "memory of the GPU"), "%s",
	   problem.text);
	f = h100;
	f.share[0].weight_bytes = 0;
	ok(engine_of("", &f) && strstr(problem.text, "weights"), "%s",
	   problem.text);
}

/* A pipeline of two: the first stage holds more, the second has no KV. */
static void stages(void)
{
	const struct engine_share uneven[] = {{20e9, 1000}, {10e9, 1000}};
	const struct engine_share linear[] = {{20e9, 0}, {30e9, 1000}};
	struct engine_facts f = h100;
	f.parallel.pp = 2;
	memcpy(f.share, uneven, sizeof uneven);
	ok(engine_of("[engine]\npipeline_parallel_size = 2\n", &f) == 0 &&
	       e.num_gpu_blocks == 3469375,
	   "the tightest stage bounds the blocks: %s", e.blocks_text);
	memcpy(f.share, linear, sizeof linear);
	ok(engine_of("", &f) == 0 && e.num_gpu_blocks == 2844375,
	   "of those that keep KV: %s", e.blocks_text);
	f.parallel.pp = 1;
	ok(engine_of("", &f) == 0 && e.num_gpu_blocks == ENGINE_UNLIMITED, "%s",
	   e.blocks_text);
}

/* 32 layers that keep states of 1 MiB, and no tokens or some. */
static void states(void)
{
	const sc_layers group = {.size = sizeof group,
				 .attention = SC_ATTN_LINEAR};
	const sc_layers *const groups[] = {&group};
	const sc_model model = {
	    .size = sizeof model, .n_groups = 1, .group = groups};
	struct engine_facts f = h100;
	f.model = &model;
	f.cached_states = KV_STATE_ALL;
	f.state_chunk = 256;
	f.kv_layer[0] = (struct kv_layers){.n = 32, .state_bytes = 1 << 20};
	f.n_kv_layers = 1;
	f.share[0].kv_bytes_per_token = 0;
#define STATES "[engine]\npreset = vllm-2026-07\nmax_num_seqs = 8\n"
#define CACHED "enable_prefix_caching = true\nmax_num_batched_tokens = 8192\n"
	ok(engine_of(STATES "enable_prefix_caching = false\n", &f) == 0 &&
	       e.num_gpu_blocks > 8 && e.num_gpu_blocks < ENGINE_UNLIMITED &&
	       engine_blocks_of(&e, 4096) == 1,
	   "a state space has a state for each request: %s %s", e.blocks_text,
	   problem.text);
	ok(engine_of(STATES CACHED, &f) < 0 &&
	       strstr(problem.text,
		      "not simulated for a model without attention"),
	   "and finds no prefix: %s", problem.text);
	f.kv_layer[1] = (struct kv_layers){.n = 32, .token_bytes = 4096};
	f.n_kv_layers = 2;
	ok(engine_of(STATES CACHED, &f) == 0 &&
	       e.kv_groups.kind[0].state == KV_STATE_ALL,
	   "Mamba keeps a state for each block: %s", problem.text);
	ok(engine_of(STATES CACHED "mamba_cache_mode = align\n", &f) == 0 &&
	       e.kv_groups.kind[0].state == KV_STATE_ALIGNED,
	   "or at ends of steps: %s", problem.text);
	ok(engine_of(STATES CACHED "mamba_cache_mode = none\n", &f) < 0 &&
	       strstr(problem.text, "needs all or align"),
	   "%s", problem.text);
	ok(engine_of(STATES "enable_prefix_caching = false\n"
			    "mamba_cache_mode = all\n",
		     &f) < 0 &&
	       strstr(problem.text, "needs enable_prefix_caching = true"),
	   "%s", problem.text);
	f.cached_states = KV_STATE_ALIGNED;
	ok(engine_of(STATES CACHED "mamba_cache_mode = all\n", &f) < 0 &&
	       strstr(problem.text, "only Mamba has a state for each block"),
	   "%s", problem.text);
}

/* 16 layers of full attention and 16 with windows of 128 tokens, on 84.9 GB. */
static void windows(void)
{
	const sc_layers group = {.size = sizeof group,
				 .attention = SC_ATTN_WINDOW};
	const sc_layers *const groups[] = {&group};
	const sc_model model = {
	    .size = sizeof model, .n_groups = 1, .group = groups};
	struct engine_facts f = h100;
	f.model = &model;
	f.kv_layer[0] = (struct kv_layers){.n = 16, .token_bytes = 4096};
	f.kv_layer[1] =
	    (struct kv_layers){.n = 16, .window = 128, .token_bytes = 4096};
	f.n_kv_layers = 2;
#define TRTLLM "[engine]\nscheduler = tensorrt_llm\n"
	ok(engine_of(TRTLLM, &f) == 0 && e.num_gpu_blocks == 14578 &&
	       engine_blocks_of(&e, 4096) == 128 &&
	       engine_ignores_windows(&e, &model),
	   "windows keep every token: %s", e.blocks_text);
	ok(engine_of(TRTLLM "max_attention_window = model\n", &f) == 0 &&
	       e.num_gpu_blocks == 29156 &&
	       engine_blocks_of(&e, 4096) == 128 + 5 &&
	       !engine_ignores_windows(&e, &model),
	   "or no more than 4 blocks, and one where these begin within one: %s",
	   e.blocks_text);
	f.usable_bytes = f.share[0].weight_bytes + 0.9e9 + 16 * 4096 * 32;
	ok(engine_of(TRTLLM "max_attention_window = model\n"
			    "free_gpu_memory_fraction = 1\n",
		     &f) == 0 &&
	       e.num_gpu_blocks == 1,
	   "a single block will do: %s", e.blocks_text);
	f.usable_bytes -= 1;
	ok(engine_of(TRTLLM "max_attention_window = model\n", &f) &&
	       strstr(problem.text, "no room for a block"),
	   "no block will not: %s", problem.text);
	ok(engine_of("[engine]\npreset = vllm-0.24\n"
		     "max_attention_window = model\n",
		     &h100) &&
	       strstr(problem.text, "a key of scheduler = tensorrt_llm"),
	   "vLLM has no such key: %s", problem.text);
}

int main(void)
{
	blocks();
	stages();
	windows();
	states();
	ini_free(&ini);
	return done();
}
