/* sim/handover.h -- disaggregated prefill and decode: how a request moves with
 * its KV cache from the replica of its prompt to a replica that generates.
 *
 *   push  The KV cache is sent when the prompt is done, and its blocks are
 *         freed at once.  The scheduler sees the request when all of the
 *         cache has arrived.
 *   pull  The scheduler sees the request proxy_ns after its prompt is done.
 *         When its turn comes, blocks are taken and the transfer begins; the
 *         prefill replica keeps its own blocks until the transfer has ended.
 *         Both replicas notice the end when they process a batch.
 *
 * A transfer takes its bytes divided by kv_transfer_bytes_per_s, plus
 * kv_transfer_latency_ns and half of pd_fixed_ns; the other half is before the
 * prompt.  Transfers do not share the link.  Source of pull:
 * vLLM, kv_connector/v1/nixl/pull_scheduler.py.  [one thread] */
#pragma once
#include "sim/replica.h"

/* Points to parts of the simulation, which owns them. */
struct handover {
	const struct engine *e;
	struct sequence_pool *sequences;
	struct replica *replica; /* [e->replicas] */
	struct outcome_counter *counter;
	struct problem *p;
};

/* Returns 1 if the request moves on to a replica that generates when its prompt
 * is done. */
int handover_is_due(const struct engine *e, const struct request *r);
/* The prompt is done at `now`.  Fills in what the request takes along, and
 * *seen_ns: when the next replica sees it.  Returns 0, or -1 with *p filled
 * in. */
int handover_leave(struct handover *h, uint32_t sequence, int64_t now,
		   int64_t *seen_ns);
/* The replica was called at `now`: starts the transfers that its scheduler has
 * asked for.  Returns 0, or -1 with *p filled in. */
int handover_begin(struct handover *h, struct replica *r, int64_t now);
/* The replica processed a batch at `now`: notices transfers that have ended. */
void handover_notice(struct handover *h, struct replica *r, int64_t now);
