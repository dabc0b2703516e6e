/* sim/policy/trtllm_capacity.h -- which requests fit in memory, by the two
 * policies of TensorRT-LLM's scheduler (sim/policy/trtllm.h).
 * Integers only.  [one thread] */
#ifndef SC_SIM_POLICY_TRTLLM_CAPACITY_H
#define SC_SIM_POLICY_TRTLLM_CAPACITY_H
#include "sim/policy/trtllm_state.h"

/* Returns 1 if it has blocks, and its prompt is complete or will be after the
 * batch in flight. */
static inline int trtllm_generates(const struct sequence *q)
{
	return q->progress.computed > 0 && !q->progress.is_chunk;
}

/* Returns 1 if its last token is in flight.  It keeps its blocks and its
 * place, and is in no further step. */
static inline int trtllm_is_spent(const struct sequence *q)
{
	return trtllm_generates(q) &&
	       q->progress.known + q->progress.placeholders == q->progress.most;
}

static inline int trtllm_is_started(const struct sequence *q)
{
	return q->progress.computed > 0;
}
/* Returns how many tokens of its prompt the cache has; the last one is
 * computed. */
uint32_t trtllm_look_up(struct trtllm *s, struct sequence *q);
/* Returns how many tokens of its prompt are left to compute. */
uint32_t trtllm_rest_of(struct trtllm *s, uint32_t i);
uint64_t trtllm_blocks_to_the_end(const struct trtllm *s,
				  const struct sequence *q);
/* Returns 1 if request a comes before b. */
int trtllm_is_before(const struct trtllm *s, uint32_t a, uint32_t b);
/* Returns 1 if one more waiting request may be looked at: every request that
 * is not over has a place, those with blocks, those that were paused, and those
 * that were looked at. */
int trtllm_has_place(const struct trtllm *s);
/* Moves the first waiting request from the queue to fresh[]. */
uint32_t trtllm_take_waiting(struct trtllm *s);
/* Notes the next blocks of prompts that are computed in chunks. */
void trtllm_note_chunks(struct trtllm *s);
/* Returns 1 if another prompt computes the next block that the request needs:
 * then it waits, to find it in the cache.  Otherwise the block is noted for
 * those that follow. */
int trtllm_waits_for_block(struct trtllm *s, uint32_t i);
/* Removes a request from those with blocks. */
void trtllm_remove_started(struct trtllm *s, uint32_t i);
/* Fill in s->fit, each by its policy. */
void trtllm_guarantee(struct trtllm *s);
void trtllm_utilize(struct trtllm *s);
#endif
