/* sim/policy/vllm/vllm_step.h -- the members of the step that policy vllm
 * forms, and the budget of tokens that is left for more of them.  [one thread]
 */
#pragma once
#include "sim/policy/vllm/vllm_state.h"

/* Adds sequence i to the step with n tokens.  Returns the member. */
struct member *vllm_schedule(struct vllm *s, uint32_t i, uint32_t n,
			     int is_prefill);
/* Adds a running request: tokens beyond its own are drafts. */
void vllm_schedule_running(struct vllm *s, uint32_t i, uint32_t n);
/* Removes sequence i from the step if it is in it. */
void vllm_unschedule(struct vllm *s, uint32_t i);
/* A request with items is to compute n tokens from `computed` on.  Returns how
 * many of them it can compute in this step. */
uint32_t vllm_pick_items(struct vllm *s, const struct sequence *q,
			 uint32_t computed, uint32_t n);
/* With states that are kept at ends of blocks a chunk of a prompt ends at such
 * an end, as long as the prompt has one before its own end; and where the hit
 * of full attention ended, if it had no state there.  Returns how many of the n
 * tokens from `computed` on it takes. */
uint32_t vllm_align(const struct vllm *s, const struct sequence *q,
		    uint32_t computed, uint32_t n);
/* Returns how many of n tokens one step takes. */
uint32_t vllm_cut(const struct vllm *s, uint32_t n);
