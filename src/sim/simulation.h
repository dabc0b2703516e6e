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
#ifndef SC_SIM_SIMULATION_H
#define SC_SIM_SIMULATION_H
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

/* cost[0]; if e->prefill_replicas > 0 also cost[1] for the pool that generates;
 * each with a drafter's cost model if it has one.  step_memory:
 * simulation_step_bytes() zeroed bytes, aligned as by malloc(); o may be NULL.
 * Returns 0; or -1 with *p filled in, and *out holds the counts so far. */
int simulate(const struct engine *e, struct cost *const cost[],
	     struct workload *w, const struct observer *o, void *step_memory,
	     struct outcome *out, struct problem *p);
#endif
