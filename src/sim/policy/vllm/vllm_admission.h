/* sim/policy/vllm/vllm_admission.h -- which waiting requests vLLM's scheduler
 * admits to a step: in their order while sequences, tokens and blocks last.
 * Requests with a KV cache that has arrived from another replica come first.
 * [one thread] */
#pragma once
#include "sim/policy/vllm/vllm_state.h"

/* Counts the adapters of the running requests that the step has so far. */
void vllm_list_adapters(struct vllm *s);
/* Admits requests to the step that is being formed, behind the running ones. */
void vllm_admit(struct vllm *s);
