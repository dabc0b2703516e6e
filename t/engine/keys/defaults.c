/* Defaults that depend on the GPU and the model. */
#include "engine/keys/defaults.h"
#include "engine_of.h"
#include "tap.h"

static struct engine_usage gpu = {
    .gpu = "h100-sxm", .memory_bytes = 80 * 0x1p30, .max_model_len = 131072};

static int under(const char *preset, const char *rest)
{
	char text[500];
	snprintf(text, sizeof text, "[engine]\npreset = %s\n%s", preset, rest);
	return completed_of(text, &gpu);
}

static int batch_is(int64_t tokens, int64_t seqs)
{
	return keys.max_num_batched_tokens == tokens &&
	       keys.max_num_seqs == seqs;
}

static void by_gpu(void)
{
	const struct engine_usage big = gpu;
	ok(under("vllm-0.15", "") == 0 && batch_is(8192, 1024), "an H100");
	ok(under("vllm-0.15", "usage_context = llm_class\n") == 0 &&
	       batch_is(16384, 1024),
	   "the same offline");
	gpu.gpu = "a100-80-sxm";
	ok(under("vllm-0.15", "") == 0 && batch_is(2048, 256),
	   "an A100, though it is as large");
	gpu = big;
	gpu.memory_bytes = 48 * 0x1p30;
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
	gpu.memory_bytes = 0;
	ok(under("vllm-0.15", "") && strstr(problem.text, "max_num_seqs"), "%s",
	   problem.text);
	ok(under("vllm-0.15", "max_num_batched_tokens = 7\n"
			      "max_num_seqs = 9\n") == 0 &&
	       batch_is(7, 9),
	   "both given: nothing depends on it");
	gpu = big;
	gpu.keeps_state = 1;
	ok(under("vllm-0.15", "") == 0 && !keys.enable_prefix_caching,
	   "prefixes of a state are not cached");
	ok(under("vllm-0.15", "enable_prefix_caching = true\n") == 0 &&
	       keys.enable_prefix_caching,
	   "unless asked for");
	gpu = big;
}

static void of_sglang(void)
{
	ok(under("sglang", "") == 0 && keys.chunked_prefill_size == 8192 &&
	       keys.cuda_graph_max_bs == 256 &&
	       keys.max_num_batched_tokens == 8192,
	   "SGLang on an H100");
	ok(under("sglang", "tensor_parallel_size = 4\n") == 0 &&
	       keys.cuda_graph_max_bs == 512,
	   "on four");
	gpu.memory_bytes = 0;
	ok(under("sglang", "") && strstr(problem.text, "cuda_graph_max_bs"),
	   "%s", problem.text);
	gpu.memory_bytes = 80 * 0x1p30;
}

static void of_drafts(void)
{
#define DRAFTS "num_speculative_tokens = 2\nsynthetic_acceptance_length = 2\n"
	ok(under("vllm-0.24", DRAFTS) == 0 && keys.async_scheduling,
	   "steps are scheduled ahead of eagle");
	ok(under("vllm-0.24", DRAFTS "speculative_method = draft_model\n") ==
		   0 &&
	       !keys.async_scheduling,
	   "not of a draft model");
	ok(under("vllm-0.24", DRAFTS "speculative_method = draft_model\n"
				     "async_scheduling = true\n") == 0 &&
	       keys.async_scheduling,
	   "unless asked for");
	ok(under("vllm-0.24", DRAFTS "speculative_method = ngram\n"
				     "async_scheduling = true\n") == 0 &&
	       !keys.async_scheduling,
	   "never of n-grams");
}

static void bounded(void)
{
	const struct engine_source from = {.ini = &ini};
	keys_of("[engine]\npreset = vllm-0.24\nmax_num_seqs = 5\n");
	engine_keys_bound(&keys, &from);
	ok(batch_is(16384, 5), "the most that a GPU could make of them");
	keys_of("[engine]\nmax_num_seqs = 5\n");
	engine_keys_bound(&keys, &from);
	ok(batch_is(2048, 5), "without a preset they are what they are");
}

int main(void)
{
	by_gpu();
	of_sglang();
	of_drafts();
	bounded();
	ini_free(&ini);
	return done();
}
