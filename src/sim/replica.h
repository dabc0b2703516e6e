/* sim/replica.h -- one engine at work: its scheduler, its GPU, and the turns of
 * the thread between them.
 *
 * A turn: requests that have come are seen; if the scheduler has something to
 * do it is called, and its batch queued, an empty one too; then, if the queue
 * is full (1 batch, 2 under async_scheduling) or the call found nothing, the
 * oldest batch is waited for and its results are processed.
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
#include <stdint.h>
#include "base/problem.h"
#include "cost/cost.h"
#include "setup/engine.h"
#include "sim/ahead.h"
#include "sim/outcome.h"
#include "sim/scheduler.h"
#include "sim/sequence.h"

/* In this order at one instant: a request that ends makes room for one that
 * arrives, and one that arrives takes part in the next step. */
enum replica_event { REPLICA_RESULTS, REPLICA_ARRIVAL, REPLICA_SCHEDULE };
#define REPLICA_NEVER INT64_MAX
/* Beyond this the clock could overflow: 146 years. */
#define REPLICA_LAST_INSTANT (INT64_MAX / 2)

/* What all replicas of a simulation share. */
struct replica_shared {
	struct sequence_pool *sequences;
	struct outcome_counter *counter;
	sc_step *step;
	struct scheduled *scheduled; /* NULL: nobody wants to know           */
	int64_t arrival_ns; /* of the next request that is known; or
				REPLICA_LAST_INSTANT */
	struct problem *p;
};

struct replica {
	struct replica_shared *shared;
	const struct engine *e;
	struct cost *cost;
	uint32_t index, pool;
	struct scheduler *scheduler;
	struct queue inbox; /* routed, not yet seen; in order of seen_ns     */
	struct batch batch[BATCHES_QUEUED];
	uint32_t oldest, n_batches; /* queued                                */
	enum replica_event next;    /* what it does next, and when           */
	int64_t next_ns;
	int64_t ready_ns; /* when the thread is free for its next turn       */
	int64_t gpu_free_ns;
	struct ahead ahead;
	int64_t decode_ns; /* the last step without a prompt lasted        */
	int found; /* this turn's call scheduled something                   */
	uint64_t steps;
};

/* columns: in step memory, those of this replica among them.  0, or -1: out of
 * memory; replica_free() in either case. */
int replica_make(struct replica *r, struct replica_shared *shared,
		 const struct engine *e, struct cost *cost, uint32_t index,
		 uint32_t pool, const struct step_columns *columns);
void replica_free(struct replica *r);
/* The sequence is seen at the turn that begins at seen_ns or later.  0, or -1
 * with *p. */
int replica_deliver(struct replica *r, uint32_t sequence, int64_t seen_ns);
/* next is REPLICA_SCHEDULE: a turn as far as it goes without waiting.  0, or
 * -1 with *p. */
int replica_schedule(struct replica *r);
/* next is REPLICA_RESULTS: processes the oldest batch, whose last[] the caller
 * sees off before replica_end_turn(), which returns 0, or -1 with *p. */
const struct batch *replica_results(struct replica *r);
int replica_end_turn(struct replica *r);
#endif
