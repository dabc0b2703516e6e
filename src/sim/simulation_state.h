/* sim/simulation_state.h -- the state of a simulation, for the modules that
 * advance it: simulation.c, setup.c, fleet/fleet.c. */
#pragma once
#include "base/arrays.h"
#include "base/problem.h"
#include "cost/cost.h"
#include "sim/fleet/members.h"
#include "sim/front/rank_router.h"
#include "sim/front/router.h"
#include "sim/handover.h"
#include "sim/lockstep.h"
#include "sim/observer.h"
#include "sim/outcome.h"
#include "sim/replica.h"
#include "sim/sequence.h"
#include "sim/notices.h"
#include "workload/workload.h"

struct fleet; /* sim/fleet/fleet.h */
struct simulation {
	const struct engine *e;
	struct cost *const *cost;
	struct workload *w;
	struct problem *p;
	struct sequence_pool pool;
	struct replica *replica;
	struct replica_shared shared;
	struct router router;
	int wants_first_tokens;
	/* [groups]; and requests on their way to a shared process in front, in
	 * the order of time. */
	struct replica_group *group;
	struct queue joining;
	struct handover handover;
	struct rank_router *rank_router; /* [groups] */
	struct lockstep **lockstep;      /* [groups], or NULL */
	int64_t arrival_ns;
	int arrival_known, arrival_stale;
	const struct observer *o; /* NULL: no observer */
	struct outcome_counter counter;
	struct fleet *fleet; /* NULL: replicas neither come nor go */
	struct notices notices;
	/* Events up to until_ns happen in this call.  is_open: requests,
	 * cancels and resets later than that may still be given. */
	int64_t until_ns;
	int is_open;
	struct arrays arrays;
};

/* A request is on a group of ranks from now on, or no more. */
void simulation_count(struct simulation *m, uint32_t group, int more,
		      int64_t now);
/* The sequence, which is on no replica, is sent to one; joins_ns: when it is in
 * the queue of the process in front.  Returns 0, or -1 with *p filled in. */
int simulation_send(struct simulation *m, uint32_t sequence, int64_t now,
		    int64_t joins_ns);
/* From now on each batch lists its tokens.  Returns 0, or -1 if memory is
 * out. */
int simulation_list_tokens(struct simulation *m);
/* A request that was withdrawn is over; counts: its replica has one less.
 * Returns 0, or -1 with *p filled in. */
int simulation_withdrawn(struct simulation *m, uint32_t sequence, int64_t now,
			 int counts);
