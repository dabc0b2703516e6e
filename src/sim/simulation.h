/* sim/simulation.h -- the clock: requests arrive, steps are priced, results
 * leave.
 *
 * One call simulates one workload on one engine (all its replicas) with one
 * cost model.  The clock is integer ns from the start of the workload.
 *   synchronous   A step starts schedule_ns after the results of the step
 *                 before it, or when a request comes to an idle engine; a
 *                 request that arrives exactly at its start takes part.
 *   asynchronous  While fewer than two batches are queued and something can be
 *                 scheduled: schedule now, run from max(GPU free, now +
 *                 schedule_ns).  Otherwise wait for the oldest batch, hand out
 *                 its tokens, look for arrivals, repeat.
 * A step takes llround(1000 · total_us) ns.  A request reaches a thread in
 * front of its replica api_overhead_ns after its arrival; this thread takes one
 * request after another, api_request_ns each, and then the scheduler sees the
 * request.  The client sees a token response_overhead_ns after the end of the
 * step that made it, plus response_sequence_ns for each token of that step; it
 * sees the last token of a request not before the first.
 *
 * All memory belongs to the caller.  [one thread]; no printing; needs an
 * sc_plugin in struct cost, and no file of one. */
#pragma once
#include <stddef.h>
#include "base/problem.h"
#include "cost/cost.h"
#include "sim/observer.h"
#include "sim/outcome.h"
#include "workload/workload.h"

struct engine; /* engine/engine.h */

/* Returns the bytes of step memory: an sc_step at its start, and the columns it
 * points to.  If the process dies in eval(), that memory holds the step. */
size_t simulation_step_bytes(const struct engine *e);

/* What a simulation is made from; all of it outlives the simulation. */
struct simulation_setup {
	const struct engine *e;
	/* cost[0]; if e->prefill_replicas > 0 also cost[1] for the pool that
	 * generates; each with a drafter's cost model if it has one. */
	struct cost *const *cost;
	struct workload *w;
	const struct observer *o; /* may be NULL */
	/* simulation_step_bytes() zeroed bytes, aligned as by malloc() */
	void *step_memory;
	/* 1: requests, cancels and resets are given while it runs, each later
	 * than all events so far; then w is from workload_given_live(). */
	int is_open;
};
struct simulation;
/* Returns NULL with *p filled in if that fails; *p is also that of all calls
 * below, which return 0, or -1 with *p filled in.  *out holds the counts so
 * far. */
struct simulation *simulation_open(const struct simulation_setup *s,
				   struct outcome *out, struct problem *p);
/* For an open one: a request comes at its arrival_ns; its client gives up; the
 * prefix cache of a replica (UINT32_MAX: of each) is emptied, unless requests
 * hold blocks of it.  Times grow strictly, and are later than until_ns of the
 * last simulation_advance(). */
int simulation_arrive(struct simulation *m, const struct request *r);
int simulation_cancel(struct simulation *m, uint64_t row, int64_t ns);
int simulation_reset(struct simulation *m, int64_t ns, uint32_t replica);
/* All events up to until_ns happen.  They do not depend on the number of these
 * calls. */
int simulation_advance(struct simulation *m, int64_t until_ns);
/* Nothing more will come: the rest happens. */
int simulation_finish(struct simulation *m);
/* Returns when the next known event happens; INT64_MAX: there is none. */
int64_t simulation_next_ns(struct simulation *m);
/* What a replica has at this instant; counts since its start. */
struct simulation_load {
	uint32_t running, waiting, deferred; /* deferred: of the waiting ones */
	uint64_t blocks_used, blocks;        /* blocks: or ENGINE_UNLIMITED */
	uint64_t steps, preemptions, hit_tokens, queried_tokens;
	int is_away; /* 1: it gets no requests */
};
struct simulation_load simulation_load(const struct simulation *m,
				       uint32_t replica);
/* Sums up, and frees it.  rc: of the last simulation_advance(); returned. */
int simulation_close(struct simulation *m, int rc);
/* Frees it without summing up. */
void simulation_free(struct simulation *m);

/* Opens, advances to the last request and closes. */
int simulate(const struct engine *e, struct cost *const cost[],
	     struct workload *w, const struct observer *o, void *step_memory,
	     struct outcome *out, struct problem *p);
