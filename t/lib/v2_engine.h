/* v2_engine.h -- an engine under TensorRT-LLM's second KV cache manager, for
 * tests of its policy: blocks of 4 tokens. */
#ifndef T_V2_ENGINE_H
#define T_V2_ENGINE_H
#include "one_scheduler.h"
#include "sim/policy/trtllm/trtllm_v2.h"

static void start_v2(uint64_t blocks, uint32_t tokens, uint32_t has_chunks)
{
	engine = small_engine();
	engine.preset = PRESET_TENSORRT_LLM;
	engine.scheduler = SCHEDULER_TENSORRT_LLM;
	engine.lockstep_ranks = 1;
	engine.num_gpu_blocks = blocks;
	engine.max_num_batched_tokens = tokens;
	engine.prefix_caching = 1;
	engine.trtllm.finds_parts = 1;
	engine.trtllm.has_manager_v2 = 1;
	engine.trtllm.has_chunks = has_chunks;
	engine.trtllm.chunk_unit = 4;
	start(&policy_trtllm_v2);
}
#endif
