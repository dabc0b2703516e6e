/* engine_names.c -- Looks the names of other engines' settings up.
 *
 * From the command lines of vLLM (EngineArgs) and SGLang (ServerArgs) and from
 * the LLM arguments of TensorRT-LLM.  Not each is the same quantity: SGLang's
 * chunked_prefill_size leaves decodes out, mem_fraction_static is a share of
 * the whole memory, TensorRT-LLM's free_gpu_memory_fraction of what is free. */
#include <config.h>
#include "engine/engine_names.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* clang-format off */
static const struct engine_name name[] = {
    {"tensor_parallel_size", "tensor_parallel_size", "tp_size", "tensor_parallel_size"},
    {"pipeline_parallel_size", "pipeline_parallel_size", "pp_size", "pipeline_parallel_size"},
    {"data_parallel_size", "data_parallel_size", "dp_size", "enable_attention_dp"},
    {"enable_expert_parallel", "enable_expert_parallel", NULL, NULL},
    {"expert_parallel_size", NULL, "ep_size", "moe_expert_parallel_size"},
    {"max_num_seqs", "max_num_seqs", "max_running_requests", "max_batch_size"},
    {"max_num_batched_tokens", "max_num_batched_tokens", "chunked_prefill_size", "max_num_tokens"},
    {"max_model_len", "max_model_len", "context_length", "max_seq_len"},
    {"long_prefill_token_threshold", "long_prefill_token_threshold", NULL, NULL},
    {"block_size", "block_size", "page_size", "tokens_per_block"},
    {"num_gpu_blocks", "num_gpu_blocks_override", "max_total_tokens", "max_tokens"},
    {"gpu_memory_utilization", "gpu_memory_utilization", "mem_fraction_static", "free_gpu_memory_fraction"},
    {"kv_cache_dtype", "kv_cache_dtype", "kv_cache_dtype", "dtype"},
    {"enable_prefix_caching", "enable_prefix_caching", "disable_radix_cache", "enable_block_reuse"},
    {"async_scheduling", "async_scheduling", "disable_overlap_schedule", "disable_overlap_scheduler"},
    {"scheduling_policy", "scheduling_policy", "schedule_policy", "capacity_scheduler_policy"},
    {"scheduler_reserve_full_isl", "scheduler_reserve_full_isl", NULL, NULL},
    {"disable_hybrid_kv_cache_manager", "disable_hybrid_kv_cache_manager", "disable_hybrid_swa_memory", NULL},
    {"graph_max_tokens", "max_cudagraph_capture_size", "cuda_graph_max_bs", "cuda_graph_config.max_batch_size"},
    {"num_speculative_tokens", "num_speculative_tokens", "speculative_num_steps", "max_draft_len"},
    {"kv_connector", "kv_connector", "disaggregation_transfer_backend", "backend"},
    {"replicas", NULL, "dp", NULL},
    {"routing", NULL, "load_balance_method", NULL},
};
/* clang-format on */
enum { N_NAMES = sizeof name / sizeof *name };

const struct engine_name *engine_name_of(const char *key)
{
	for (int i = 0; i < N_NAMES; i++)
		if (!strcmp(name[i].key, key))
			return &name[i];
	return NULL;
}

const char *engine_name_by(const char *scheduler, const char *key)
{
	const struct engine_name *n = engine_name_of(key);
	if (!n)
		return NULL;
	return !strcmp(scheduler, "sglang")         ? n->sglang
	       : !strcmp(scheduler, "tensorrt_llm") ? n->tensorrt_llm
						    : n->key;
}

static int is(const char *theirs, const char *typed)
{
	return theirs && !strcmp(theirs, typed);
}

const char *engine_name_key(const char *typed)
{
	char plain[100];
	snprintf(plain, sizeof plain, "%s", typed + strspn(typed, "-"));
	for (char *c = plain; *c; c++)
		if (*c == '-')
			*c = '_';
	for (int i = 0; i < N_NAMES; i++)
		if (is(name[i].key, plain) || is(name[i].vllm, plain) ||
		    is(name[i].sglang, plain) ||
		    is(name[i].tensorrt_llm, plain))
			return name[i].key;
	return NULL;
}
