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
 * A step lasts llround(1000 · total_us) ns.  A request is seen by the scheduler
 * api_overhead_ns after its arrival, and by the client response_overhead_ns
 * after the end of the step that made the token.
 *
 * Who owns what: everything here is the caller's.  [one thread]; no printing;
 * needs a vtable in struct cost, and no registry. */
#ifndef SC_SIM_SIMULATION_H
#define SC_SIM_SIMULATION_H
#include <stdint.h>
#include "base/problem.h"
#include "cost/cost.h"
#include "cost/coverage.h"
#include "math/statistics.h"
#include "setup/engine.h"
#include "sim/saturation.h"
#include "workload/workload.h"

/* ---- watching ---- */

/* One step, told when it has been priced.  Each decode, and each prefill with
 * prefill_last, emits one token at end_ns. */
struct step_event {
	const sc_step *step; /* replica, index, contexts, request ids (rows) */
	const sc_result *result;
	int64_t schedule_ns;       /* when it was put together              */
	int64_t start_ns, end_ns;  /* on the GPU                            */
	uint32_t running, waiting; /* after scheduling                     */
	uint64_t blocks_used;      /* after scheduling                     */
	uint32_t preempted;        /* requests put back to make room       */
	uint32_t pool;
};

enum ending { REQUEST_ENDED, REQUEST_REJECTED, REQUEST_UNFINISHED };

/* One request, told when it is over. */
struct request_event {
	uint64_t row;
	const char *name; /* request_id of the trace, or NULL              */
	uint64_t session;
	uint32_t turn, slo_class;
	int32_t priority;
	uint32_t replica; /* that made its last token                      */
	enum ending ending;
	const char *reason; /* of a rejection; else NULL                   */
	uint32_t input_tokens, output_tokens;
	uint32_t generated_tokens; /* = output_tokens when REQUEST_ENDED; else
				      what it had when it last waited */
	uint32_t cached_tokens;    /* of its prompt, found in the cache    */
	uint32_t preemptions;
	int64_t arrival_ns;     /* at the client                          */
	int64_t scheduled_ns;   /* start of its first step; -1: none      */
	int64_t first_token_ns; /* end of the step, without response
				   overhead; -1: none                     */
	int64_t last_token_ns;  /* likewise                               */
	int64_t ttft_ns, tpot_ns, e2el_ns; /* as reported, overheads
				    included; -1: does not apply           */
};

/* Either callback may be NULL; a request's name is kept only for on_request.
 * Not 0: stop; simulate() returns -1 and leaves *p as the callback set it. */
struct observer {
	int (*on_step)(void *ctx, const struct step_event *e,
		       struct problem *p);
	int (*on_request)(void *ctx, const struct request_event *e,
			  struct problem *p);
	void *ctx;
};

/* ---- results ---- */

/* Plain data, no pointers: crosses process borders. */
struct outcome {
	int64_t first_arrival_ns, last_token_ns; /* duration: last − first */
	uint64_t requests; /* = completed + rejected + unfinished          */
	uint64_t completed, rejected, unfinished;
	uint64_t total_input_tokens, total_output_tokens; /* of completed
							     requests     */
	uint64_t num_steps;
	uint64_t scheduled_sequences; /* over all steps                    */
	uint64_t computed_tokens;     /* prompt and decode, over all steps */
	uint64_t preemptions;
	uint64_t prefix_hit_tokens, prefix_queried_tokens;
	uint64_t kv_blocks_peak; /* in use by running requests, most loaded
				    replica                               */
	uint64_t kv_blocks; /* of one replica, or ENGINE_UNLIMITED         */
	int64_t busy_ns;    /* GPU time of all steps, all replicas         */
	struct stats_summary ttft, tpot, itl, e2el, queueing; /* ns        */
	uint64_t good; /* completed within the SLO                         */
	uint64_t slo_given; /* 1: there was an SLO                         */
	enum saturation saturation;
	uint32_t n_guessed;
	double coverage_us[COVERAGE_CLASSES]; /* step time by provenance;
				shares: ÷ their sum                       */
	double total_us; /* Σ total_us over all steps                      */
	struct guessed_shape guessed[GUESSED_SHAPES]; /* heaviest first    */
	struct series series; /* all replicas together                     */
};

/* ---- doing it ---- */

/* Bytes of step memory: an sc_step at its start, and the columns it points to.
 * If the process dies in eval(), the step that it died of stands there. */
size_t simulation_step_bytes(const struct engine *e);

/* cost[0], and cost[1] for the pool that generates if e->prefill_replicas > 0.
 * step_memory: simulation_step_bytes() zeroed bytes, aligned as by malloc();
 * o may be NULL.  0; or -1 with *p, *out then holding what was known. */
int simulate(const struct engine *e, struct cost *const cost[],
	     struct workload *w, const struct observer *o, void *step_memory,
	     struct outcome *out, struct problem *p);
#endif
