/* sim/policy/batch_wait.h -- TensorRT-LLM's prompts wait to be computed
 * together (batch_wait_timeout_iters, batch_wait_max_tokens_ratio).
 *
 * While requests decode, a step has no prompts, those under way neither, until
 * it has as many tokens as the ratio asks for, or that many steps have passed.
 * Ranks of attention data parallelism do not wait.
 *
 * Source: TensorRT-LLM, _torch/pyexecutor/py_executor.py (run).  Integers only.
 * [any thread] */
#pragma once
#include "engine/engine.h"

static inline int batch_wait_is_on(const struct engine *e)
{
	return e->trtllm.wait_steps > 0 && e->lockstep_ranks == 1;
}
/* Returns 1 if the prompts of a step of prompts and decodes, with that many
 * tokens, wait.  *waited counts the steps that they have waited, from 0. */
int batch_wait_holds(uint32_t *waited, const struct trtllm_rules *rules,
		     uint64_t tokens);
