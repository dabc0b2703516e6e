/* sim/simulation.h -- the clock: requests in, steps priced, results out.
 *
 * One call simulates one workload on one engine (all its replicas) under one
 * cost model.  The clock is integer ns from the start of the workload.
 *   synchronous   a step starts schedule_ns after the results of the step
 *                 before it, or when a request comes to an idle engine; an
 *                 arrival at exactly its start takes part.
 *   asynchronous  while fewer than two batches are queued and something can be
 *                 scheduled: schedule now, run from max(GPU free, now +
 *                 schedule_ns); otherwise wait for the oldest batch, hand out
 *                 its tokens, look for arrivals, repeat.
 * A step lasts llround(1000 · total_us) ns.  A request reaches a thread in
 * front of its replica api_overhead_ns after its arrival; this thread takes one
 * request after another, api_request_ns each, and then the scheduler sees the
 * request.  The client sees a token
 * response_overhead_ns after the end of the step that made it, and
 * response_sequence_ns more for each token of that step, the last one of a
 * request not before its first.
 *
 * Everything here is the caller's.  [one thread]; no printing; needs an
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

/* Bytes of step memory: an sc_step at its start, and the columns it points to.
 * If the process dies in eval(), that memory holds the step. */
size_t simulation_step_bytes(const struct engine *e);

/* cost[0], and cost[1] for the pool that generates if e->prefill_replicas > 0;
 * each with a drafter's if it has one.
 * step_memory: simulation_step_bytes() zeroed bytes, aligned as by malloc();
 * o may be NULL.  0; or -1 with *p, and *out holds what was counted. */
int simulate(const struct engine *e, struct cost *const cost[],
	     struct workload *w, const struct observer *o, void *step_memory,
	     struct outcome *out, struct problem *p);
#endif
