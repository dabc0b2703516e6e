/* sim/replica_state.h -- the state of a replica, for the modules that advance
 * it (replica.h, lockstep.h, launch.h). */
#pragma once
#include <stdint.h>
#include "base/problem.h"
#include "cost/cost.h"
#include "engine/engine.h"
#include "sim/agenda.h"
#include "sim/step/ahead.h"
#include "sim/drafts/drafter.h"
#include "sim/step/first_use.h"
#include "sim/front/api_server.h"
#include "sim/front/rank_balance.h"
#include "sim/outcome.h"
#include "sim/scheduler.h"
#include "sim/sequence.h"

/* The order at one instant: a request that ends makes room for one that
 * arrives, and one that arrives takes part in the next step. */
enum replica_event { REPLICA_RESULTS, REPLICA_ARRIVAL, REPLICA_SCHEDULE };
#define REPLICA_NEVER INT64_MAX

/* Data that all replicas of a simulation share. */
struct replica_shared {
	uint32_t n_replicas;
	struct sequence_pool *sequences;
	struct outcome_counter *counter;
	struct agenda agenda; /* zeroed: wanted by none */
	sc_step *step;
	struct scheduled *scheduled; /* NULL: not wanted */
	uint8_t *is_lost;            /* NULL: not wanted */
	/* 1: requests may leave before their planned end. */
	int may_leave;
	/* 1: each batch lists its tokens; [max_num_seqs] for that. */
	int lists_tokens;
	struct scheduled *listed;
	/* Requests that were withdrawn before their scheduler saw them, and
	 * now would be seen. */
	struct queue dropped;
	/* of the next known request, or REPLICA_LAST_INSTANT */
	int64_t arrival_ns;
	struct problem *p;
};

struct lockstep; /* sim/lockstep.h */

/* What the ranks of a group share. */
struct replica_group {
	struct api_server api_server;
	struct rank_balance balance;
	int64_t dealt_ns; /* when requests were last assigned to the ranks */
};

struct replica {
	struct replica_shared *shared;
	const struct engine *e;
	struct cost *cost;
	struct drafter drafter;
	uint32_t index, pool;
	uint32_t rank; /* of data parallelism */
	struct replica_group *group;
	struct block_watcher watcher;
	struct scheduler *scheduler;
	struct queue inbox;  /* routed, not yet seen; in order of seen_ns */
	struct batch *batch; /* [engine_batches()] ring buffer */
	uint32_t oldest, n_batches; /* n_batches: queued ones */
	/* The next event of the replica, and when it is; replica_next() sets
	 * both. */
	enum replica_event next;
	int64_t next_ns;
	int64_t response_ns; /* from a step's end to a client, less its share */
	int64_t ready_ns;    /* when the thread is free for its next turn */
	int64_t stage_free_ns[ENGINE_STAGES];
	int64_t occupied_ns, occupied_until_ns; /* time with a step running */
	struct ahead ahead;
	int takes_runs; /* decode_run_is_possible() */
	struct first_use first_use;
	int64_t decode_ns; /* duration of the last step without a prompt */
	int found;         /* 1: this turn's call scheduled something */
	int has_results;   /* 1: and it processed a batch that was not empty */
	uint64_t steps;
	/* Turns since the last look at the inbox, and from one look to the next
	 * (looks_now()). */
	uint32_t passes, look_interval;
	/* The group of ranks; NULL: it takes its steps alone. */
	struct lockstep *lockstep;
	uint64_t turns; /* since the wave began */
	int has_left;   /* 1: requests that it was assigned found no room */
	int is_held;    /* 1: waits until other ranks are as far */
	/* 1: is asked after this turn whether it has requests left */
	int is_asked;
	/* KV caches on their way to or from this replica, in order of their
	 * arrival; the number it holds for others; the number this turn
	 * noticed. */
	struct queue transfers;
	uint32_t n_held, n_noticed;
	/* 1: waits for a transfer or a request, without sleeping */
	int is_parked;
};

static inline void replica_next(struct replica *r, enum replica_event next,
				int64_t ns)
{
	r->next = next;
	r->next_ns = ns;
	agenda_set(&r->shared->agenda, r->index, ns, (uint32_t)next);
}
/* Tells who watches its blocks. */
static inline void replica_tell_blocks(const struct replica *r,
				       enum block_change_kind kind)
{
	const struct block_watcher *w = r->scheduler->kv.pool.watcher;
	if (w)
		w->tell(w->user, w->replica,
			&(struct block_change){.kind = kind});
}
/* The scheduler sees the request now, unless it was withdrawn. */
static inline void replica_admit(struct replica *r, uint32_t sequence)
{
	const struct sequence *q = scheduler_sequence(r->scheduler, sequence);
	if (!q->is_withdrawn) {
		scheduler_enqueue(r->scheduler, sequence);
		return;
	}
	scheduler_push(r->scheduler, &r->shared->dropped, sequence);
	r->scheduler->has_finished = 1;
}
