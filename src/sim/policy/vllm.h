/* sim/policy/vllm.h -- the policy of an engine under a preset: what vLLM's own
 * scheduler decides, in every step.
 *
 * Of a request: `known` tokens are its prompt and the output that has been
 * processed; `computed` of them were given to the GPU; `placeholders` stand for
 * output of batches in flight (async_scheduling only); `in_flight` tokens are
 * scheduled and not processed.
 *
 * Running requests first, in order of admission: each takes what it still has
 * to compute, while the token budget lasts.  Without a block for one, the last
 * one admitted (policy priority: the last by rank) gives back its blocks and
 * waits to be recomputed, at the front; what it has in flight is kept.  Then,
 * unless somebody was preempted, waiting requests are admitted while sequences,
 * budget and blocks last; nobody overtakes.
 *
 * Sources: vLLM, v1/core/sched/scheduler.py, async_scheduler.py.  Integers
 * only.  [one thread] */
#ifndef SC_SIM_POLICY_VLLM_H
#define SC_SIM_POLICY_VLLM_H
#include "sim/scheduler.h"

struct vllm {
	struct scheduler is;
	uint32_t n;
	uint32_t *running; /* [max_num_seqs] sequences, in order of admission */
	uint32_t max_len;
	int64_t processed_ns; /* the batch before                             */
	/* the step being put together */
	struct batch *batch;
	uint32_t budget;
	uint32_t at; /* place in running[] of the one that is looked at       */
};
extern const struct policy policy_vllm;
#endif
