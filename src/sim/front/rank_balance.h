/* sim/front/rank_balance.h -- TensorRT-LLM's ranks of attention data
 * parallelism begin prompts together (attention_dp_config.enable_balance).
 *
 * As long as every rank decodes, prompts wait until each rank has some, or
 * timeout_iters steps have passed; once each has some, they wait for
 * batching_wait_iters steps more.
 *
 * Source: TensorRT-LLM, _torch/pyexecutor/scheduler (read).  Integers only.
 * [one thread] */
#pragma once
#include <stdint.h>
#include "engine/engine.h"

/* The state of a group of ranks; zeroed at first. */
struct rank_balance {
	uint32_t waited;  /* steps, since each rank had a prompt last */
	uint32_t batched; /* steps, of prompts on all ranks */
	uint64_t turn;    /* of the last decision, and the rank that asked */
	uint32_t rank;
	int holds;
};
/* Counts of ranks: those with prompts, with decodes, and with a full batch. */
struct rank_loads {
	uint32_t ranks, with_prompts, with_decodes, full;
};
/* Returns 1 if prompts wait in the step that is being formed. */
int rank_balance_holds(struct rank_balance *b, const struct trtllm_rules *rules,
		       const struct rank_loads *l);
