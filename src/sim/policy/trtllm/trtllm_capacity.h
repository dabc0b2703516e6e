/* sim/policy/trtllm/trtllm_capacity.h -- which requests fit in memory, by the
 * policies of TensorRT-LLM's scheduler (sim/policy/trtllm/trtllm.h).
 * Integers only.  [one thread] */
#pragma once
#include "sim/policy/trtllm/trtllm_state.h"

/* Fills in s->fit, s->fresh and s->paused. */
void trtllm_choose_fitting(struct trtllm *s);
/* Removes a request from started[]; the caller counts n. */
void trtllm_remove_started(struct trtllm *s, uint32_t i);
