/* sim/replica.h -- one engine at work: its scheduler, its GPU, and the turns of
 * the thread between them.
 *
 * A turn: requests that have come are seen; if the scheduler has something to
 * do it is called, and its batch queued, an empty one too; then, if the queue
 * is full (1 batch, 2 under async_scheduling) or the call found nothing, the
 * oldest batch is waited for and its results are processed.  A pipeline queues
 * a batch for each stage (engine_batches()).
 *
 * Under a preset a call that schedules something keeps the thread busy for
 * schedule_ns, and a turn that found nothing to schedule although there is
 * something to do ends with a sleep of empty_sleep_ns.
 *
 * Without a preset schedule_ns is no one's time: a synchronous step starts so
 * long after the results before it, an asynchronous one no sooner than so long
 * after it was scheduled.  Source of the turn: vLLM, v1/engine/core.py.
 *
 * The clock is integer ns.  [one thread] */
#ifndef SC_SIM_REPLICA_H
#define SC_SIM_REPLICA_H
#include "sim/replica_state.h"

/* columns: in step memory, those of this replica among them.  0, or -1: out of
 * memory; replica_free() in either case. */
int replica_make(struct replica *r, struct replica_shared *shared,
		 const struct engine *e, struct cost *cost, uint32_t index,
		 uint32_t pool, const struct step_columns *columns);
void replica_free(struct replica *r);
/* The sequence is seen at the turn that begins at seen_ns or later.  0, or -1
 * with *p. */
int replica_deliver(struct replica *r, uint32_t sequence, int64_t seen_ns);
/* A KV cache is on its way to this replica, or from it, as fetched_ns of the
 * sequence says; noticed where the replica processes a batch then or later.
 * 0, or -1 with *p. */
int replica_await(struct replica *r, uint32_t sequence);
/* The next of those that are there by now; NO_SEQUENCE: there are no more. */
uint32_t replica_notice(struct replica *r, int64_t now);
/* next is REPLICA_SCHEDULE: a turn as far as it goes without waiting.  0, or
 * -1 with *p. */
int replica_schedule(struct replica *r);
/* next is REPLICA_RESULTS: processes the oldest batch, whose last[] the caller
 * sees off before replica_end_turn(), which returns 0, or -1 with *p. */
const struct batch *replica_results(struct replica *r);
int replica_end_turn(struct replica *r);
#endif
