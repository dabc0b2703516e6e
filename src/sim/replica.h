/* sim/replica.h -- one engine at work: its scheduler, its GPU, and the turns of
 * the thread between them.
 *
 * In a turn, the thread sees the requests that have come.  If the scheduler has
 * work, it is called, and its batch is queued, also an empty one.  Then, if the
 * queue is full (1 batch, 2 under async_scheduling) or the call found nothing,
 * the thread waits for the oldest batch and processes its results.  A pipeline
 * queues a batch per stage (engine_batches()).
 *
 * Under a preset, a call that schedules something keeps the thread busy for
 * schedule_ns.  A turn that found nothing to schedule although there is work
 * ends with a sleep of empty_sleep_ns.
 *
 * Without a preset, schedule_ns is a delay and keeps no thread busy: a
 * synchronous step starts that long after the results before it; an
 * asynchronous one starts that long after it was scheduled, or later.  Source
 * of the turn: vLLM, v1/engine/core.py.
 *
 * The clock is integer ns.  [one thread] */
#pragma once
#include "sim/replica_state.h"

/* columns: in step memory, those of this replica included.  Returns 0, or -1 if
 * memory is out; the caller calls replica_free() in either case. */
int replica_make(struct replica *r, struct replica_shared *shared,
		 const struct engine *e, struct cost *cost, uint32_t index,
		 uint32_t pool, const struct step_columns *columns);
void replica_free(struct replica *r);
/* The sequence is seen at the turn that begins at seen_ns or later.  Returns 0,
 * or -1 with *p filled in. */
int replica_deliver(struct replica *r, uint32_t sequence, int64_t seen_ns);
/* A KV cache is on its way to or from this replica, until fetched_ns of the
 * sequence; the replica notices when it processes a batch then or later.
 * Returns 0, or -1 with *p filled in. */
int replica_await(struct replica *r, uint32_t sequence);
/* Returns the next sequence with a transfer that ended by `now`; NO_SEQUENCE:
 * there are no more. */
uint32_t replica_notice(struct replica *r, int64_t now);
/* Takes out a request that the scheduler has seen; its tokens in flight are
 * dropped.  Returns 1 if that must wait (policy.withdraw). */
int replica_withdraw(struct replica *r, uint32_t sequence);
/* Makes the replica take a turn at that time, if it sleeps until a transfer or
 * a request comes. */
void replica_stir(struct replica *r, int64_t at_ns);
/* Call it if next is REPLICA_SCHEDULE: does a turn as far as it goes without
 * waiting.  Returns 0, or -1 with *p filled in. */
int replica_schedule(struct replica *r);
/* Call it if next is REPLICA_RESULTS: processes the oldest batch.  The caller
 * handles the requests in its last[] and then calls replica_end_turn(), which
 * returns 0, or -1 with *p filled in. */
const struct batch *replica_results(struct replica *r);
int replica_end_turn(struct replica *r);
