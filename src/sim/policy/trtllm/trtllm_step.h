/* sim/policy/trtllm/trtllm_step.h -- which of the requests that fit in memory
 * are in the step of TensorRT-LLM's scheduler (sim/policy/trtllm/trtllm.h), and
 * with how many tokens.  Integers only.  [one thread] */
#pragma once
#include "base/whole.h"
#include "sim/policy/trtllm/trtllm_state.h"

/* Returns what n tokens of a prompt cost in a step, if `rest` tokens are left
 * and `expected` of them will probably be found. */
static inline uint32_t trtllm_cost(uint32_t n, uint32_t expected, uint32_t rest)
{
	return whole_min(n, rest - expected);
}

/* Fills in s->decoding and s->prompt from s->fit.  In a steady state all that
 * decode are in the step anyway. */
void trtllm_choose_step(struct trtllm *s);
/* Puts prompts that the step does not complete before the others; the rest of
 * the order stays. */
void trtllm_sort_prompts(struct trtllm *s);
/* If prompts have found less than was expected, their chunks are cut to the
 * tokens of a step. */
void trtllm_trim(struct trtllm *s);
