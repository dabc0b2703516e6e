/* sim/front/rank_assignment.h -- assigns the requests of a data-parallel
 * replica to its ranks when a step begins (data_parallel_routing =
 * fewest_tokens).
 *
 * Until then they wait for the replica, not for a rank.  They are assigned in
 * the order in which they came, each to the rank with the fewest tokens in the
 * step: the prompts that it has been assigned, and one for each request that
 * runs there. The first that this rank has no slot or no tokens left for ends
 * the assignment.  A prompt that may go in chunks fits if there is a token
 * left; one that is longer than a step fits a rank without prompts.  A rank
 * that has left a request waiting in its last step, because its memory was
 * short, is assigned none.
 *
 * The ranks take a step together as long as one of them has a request, and no
 * longer.
 *
 * Source: TensorRT-LLM, _torch/pyexecutor/py_executor.py
 * (_schedule_attention_dp_requests).  Integers only.  [one thread] */
#pragma once
#include "sim/replica_state.h"

/* 1: the replica is a rank of those that are assigned their requests. */
static inline int rank_assignment_is_used(const struct engine *e)
{
	return e->rank_routing == RANKS_FEWEST_TOKENS && e->lockstep_ranks > 1;
}
/* r begins a turn at `now`: its group has seen the requests in the inbox of its
 * first rank, and those that stay there wait.  The first of the ranks that
 * begins a turn at that instant assigns for all. */
void rank_assignment_assign(struct replica *r, int64_t now);
/* Returns 1 if any request that was assigned to the group is not over. */
int rank_assignment_is_unfinished(const struct replica *r);
