/* sim/handover.h -- prefill and decode apart: how a request moves from the
 * replica of its prompt to one that generates, and its KV cache with it.
 *
 *   push  The KV cache is sent when the prompt is done; its blocks are free
 *         then.  The request is seen when all of it has come.
 *   pull  The request is seen proxy_ns after its prompt is done.  When its turn
 *         comes there, blocks are taken and the transfer begins; the prefill
 *         replica holds its own until that has ended.  Both notice the end when
 *         they process a batch.
 *
 * A transfer lasts its bytes over kv_transfer_bytes_per_s, and
 * kv_transfer_latency_ns; transfers do not share the link.  Source of the
 * latter: vLLM, kv_connector/v1/nixl/pull_scheduler.py.  [one thread] */
#ifndef SC_SIM_HANDOVER_H
#define SC_SIM_HANDOVER_H
#include "sim/replica.h"

/* Of the simulation, whose these are. */
struct handover {
	const struct engine *e;
	struct sequence_pool *sequences;
	struct replica *replica; /* [e->replicas]                            */
	struct outcome_counter *counter;
	struct problem *p;
};

/* Does a request go on to a replica that generates, when its prompt is done? */
int handover_is_due(const struct engine *e, const struct request *r);
/* Its prompt is done at now.  Fills in what it has when it leaves, and
 * *seen_ns: when the next replica sees it.  0, or -1 with *p. */
int handover_leave(struct handover *h, uint32_t sequence, int64_t now,
		   int64_t *seen_ns);
/* The replica has been called at now: transfers that its scheduler has begun
 * are under way.  0, or -1 with *p. */
int handover_begin(struct handover *h, struct replica *r, int64_t now);
/* It has processed a batch at now: transfers that have ended are noticed. */
void handover_notice(struct handover *h, struct replica *r, int64_t now);
#endif
