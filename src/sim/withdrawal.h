/* sim/withdrawal.h -- requests that leave before their last token: their client
 * gives up (cancel_ns), or has the text that ends its answer (stop_tokens); and
 * resets of prefix caches.
 *
 * A request is withdrawn when the time of its notice (notices.h) has come.  The
 * engine notices when it processes a batch,
 * before the tokens of that batch, or in a turn of its thread, whichever comes
 * first: then the request leaves, its blocks are given back as those of one
 * that ended, and its tokens in flight are dropped.  A request that the
 * scheduler has not seen keeps its place in front of it until then.  While KV
 * is written into its blocks, from another replica or from the host, it stays.
 * Source: vLLM, v1/engine/core.py (_process_aborts_queue) and
 * v1/core/sched/scheduler.py (finish_requests).  Integers only.  [one
 * thread] */
#pragma once
#include "sim/simulation_state.h"

/* Carries out the next notice, at its time.  Returns 0, or -1 with *p filled
 * in, as all below. */
int withdrawal_notice(struct simulation *m);
/* The thread of the replica notices at `now` who was withdrawn. */
int withdrawal_look(struct simulation *m, struct replica *r, int64_t now);
/* The requests that would have been seen now, and were withdrawn, are over. */
int withdrawal_drop(struct simulation *m, int64_t now);
