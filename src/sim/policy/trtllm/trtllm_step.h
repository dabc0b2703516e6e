/* sim/policy/trtllm/trtllm_step.h -- which of the requests that fit in memory
 * are in the step of TensorRT-LLM's scheduler (sim/policy/trtllm/trtllm.h), and
 * with how many tokens.  Integers only.  [one thread] */
#pragma once
#include "base/whole.h"
#include "sim/policy/trtllm/trtllm_state.h"

/* Returns how many of a step's tokens a chunk of n tokens of a prompt uses up,
 * if the prompt has `rest` tokens left and the cache probably has `expected` of
 * them. */
static inline uint32_t trtllm_cost(uint32_t n, uint32_t expected, uint32_t rest)
{
	return whole_min(n, rest - expected);
}

/* Fills in s->decoding and s->prompt from s->fit.  If s->is_steady, the
 * requests of s->decodes are in the step without it. */
void trtllm_choose_step(struct trtllm *s);
/* Moves the prompts that the step does not complete before those that it does,
 * and keeps the order within both. */
void trtllm_sort_prompts(struct trtllm *s);
/* Shortens chunks, the last prompt's first, until all tokens fit into a step.
 * This is needed if the cache had fewer tokens of a prompt than the choice of
 * the step expected. */
void trtllm_trim(struct trtllm *s);
