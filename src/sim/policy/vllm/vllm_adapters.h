/* sim/policy/vllm/vllm_adapters.h -- the adapters (LoRA) of the step that
 * policy vllm forms, and the slots that a GPU and its host have for adapters.
 *
 * A step has requests of at most max_loras adapters.  The worker keeps
 * max_loras of them on the GPU and max_cpu_loras in the host's memory; in both
 * the adapter that no step had for longest gives way to a new one.  Sources:
 * vLLM, v1/core/sched/scheduler.py, lora/worker_manager.py.
 *
 * Adapters are numbers other than 0; 0 is a request without one.  Zeroed is
 * off.  [one thread] */
#pragma once
#include <stdint.h>
#include "engine/engine.h"

struct adapters {
	const struct lora_rules *rules;
	uint32_t n; /* of the step */
	uint64_t *in_step;
	/* Slots; the one that was used last is last. */
	uint32_t n_gpu, n_cpu;
	uint64_t *on_gpu, *on_cpu;
};
/* rules->max_loras 0: off.  Returns 0, or -1 if memory is out; the caller calls
 * adapters_free() in either case. */
int adapters_init(struct adapters *a, const struct lora_rules *rules);
void adapters_free(struct adapters *a);
static inline int adapters_are_on(const struct adapters *a)
{
	return a->in_step != NULL;
}
/* Begins a step without adapters. */
void adapters_begin(struct adapters *a);
/* Returns 1 if a request with that adapter may join the step. */
int adapters_may_join(const struct adapters *a, uint64_t adapter);
void adapters_join(struct adapters *a, uint64_t adapter);
/* The step is formed: puts its adapters into slots.  Returns the ns by which
 * that delays the step. */
int64_t adapters_load(struct adapters *a);
