/* sim/replica_state.h -- what a replica is made of: for the modules that move
 * it on (replica.h, lockstep.h, launch.h). */
#ifndef SC_SIM_REPLICA_STATE_H
#define SC_SIM_REPLICA_STATE_H
#include <stdint.h>
#include "base/problem.h"
#include "cost/cost.h"
#include "engine/engine.h"
#include "sim/ahead.h"
#include "sim/drafter.h"
#include "sim/first_use.h"
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
	uint32_t n_replicas;
	struct sequence_pool *sequences;
	struct outcome_counter *counter;
	sc_step *step;
	struct scheduled *scheduled; /* NULL: nobody wants to know           */
	int64_t arrival_ns;          /* of the next request that is known; or
					REPLICA_LAST_INSTANT                          */
	struct problem *p;
};

struct lockstep; /* sim/lockstep.h */

struct replica {
	struct replica_shared *shared;
	const struct engine *e;
	struct cost *cost;
	struct drafter drafter;
	uint32_t index, pool;
	uint32_t rank; /* of data parallelism                                */
	struct scheduler *scheduler;
	struct queue inbox;  /* routed, not yet seen; in order of seen_ns     */
	struct batch *batch; /* [engine_batches()] a ring                     */
	uint32_t oldest, n_batches; /* queued                                */
	enum replica_event next;    /* what it does next, and when           */
	int64_t next_ns;
	int64_t ready_ns; /* when the thread is free for its next turn       */
	int64_t stage_free_ns[ENGINE_STAGES];
	int64_t occupied_ns, occupied_until_ns; /* a step was under way      */
	struct ahead ahead;
	int takes_runs; /* decode_run_is_possible()                          */
	struct first_use first_use;
	int64_t decode_ns; /* the last step without a prompt lasted          */
	int found; /* this turn's call scheduled something                   */
	int has_results; /* and so far it processed a batch with something in
			    it                                               */
	uint64_t steps;
	/* with other ranks; NULL: it takes its steps alone                   */
	struct lockstep *lockstep;
	uint64_t turns; /* since the wave began                              */
	int is_held;    /* until other ranks have come as far                */
	int is_asked;   /* whether it has requests left, after this turn     */
	/* KV caches on their way to this replica, or from it, in order of their
	 * arrival; how many it holds for others; those that this turn noticed
	 */
	struct queue transfers;
	uint32_t n_held, n_noticed;
	int is_parked; /* it waits for a transfer or a request, and does not
			  sleep                                              */
};
#endif
