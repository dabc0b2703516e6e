/* sim/front/dealer.h -- deals the requests of a data-parallel replica out to
 * its ranks when a step begins (data_parallel_routing = fewest_tokens).
 *
 * Until then they wait for the replica, not for a rank.  They are dealt in the
 * order in which they came, each to the rank with the fewest tokens in the
 * step: the prompts that it has been dealt, and one for each request that runs
 * there. The first that this rank has no seat or no tokens left for ends the
 * deal.  A prompt that may go in chunks fits if there is a token left; one that
 * is longer than a step fits a rank without prompts.  A rank that has left a
 * request waiting in its last step, because its memory was short, is dealt
 * none.
 *
 * The ranks take a step together as long as one of them has a request, and no
 * longer.
 *
 * Source: TensorRT-LLM, _torch/pyexecutor/py_executor.py
 * (_schedule_attention_dp_requests).  Integers only.  [one thread] */
#ifndef SC_SIM_DEALER_H
#define SC_SIM_DEALER_H
#include "sim/replica_state.h"

/* 1: the replica is a rank of those that are dealt their requests. */
static inline int dealer_deals(const struct engine *e)
{
	return e->rank_routing == RANKS_FEWEST_TOKENS && e->lockstep_ranks > 1;
}
/* r begins a turn at `now`: its group has seen the requests in the inbox of its
 * first rank, and those that stay there wait.  The first of the ranks that
 * begins a turn at that instant deals for all. */
void dealer_deal(struct replica *r, int64_t now);
/* Returns 1 if any request that was dealt to the group is not over. */
int dealer_is_unfinished(const struct replica *r);
#endif
