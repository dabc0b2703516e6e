/* record/latency_parts.h -- where the time of the requests of one run went.
 *
 * Each moment from the arrival of a request to its last token belongs to one
 * part; what the client waits beyond the engine's clock belongs to `front`.  So
 * the parts of a request add up to its TTFT, TPOT and E2E latency, to the ns.
 *   admission, decode pool, preempted
 *             It waits: for its first step, for its first step on the replica
 *             that generates, or to be computed again after a preemption.
 *   imbalance The share of its wait for its first step that equal queues at all
 *             replicas would not have (queues.h); the rest is admission.
 *   prompt    steps that compute tokens of its prompt, whole steps
 *   again     steps that compute tokens which were computed before
 *   stall     Of a step in which it decodes: the share of the step's price that
 *             the same step without prompts does not have; the cost model
 *             prices that step (of ranks in lockstep: the longest).  And time
 *             between its steps in which a step with others' prompts runs.
 *   transfer  Its KV cache is on its way, and it waits for it.
 *   copies    It waits for KV from the memory of the host, or its step waits
 *             until copies to the host are over.
 *   adapters  its step waits while adapters are loaded
 *   encoders  steps that compute tokens of its prompt: while they encode
 *             pictures or sound
 *   decode    the rest of steps in which it decodes; the step of a replica that
 *             generates which computes the last token of its prompt once more
 *   between   the rest of the time between its steps: the engine's own time,
 *             and steps of others without prompts
 *   front     before the scheduler sees it, between the pools without a
 *             transfer, and from its token to the client
 * If it is in two steps at once (pipelines), the earlier one counts.  A request
 * that is preempted in its prompt, and then finds all of it in the cache, is
 * counted as if it had run on.
 *
 * ns; [one thread]; no printing. */
#pragma once
#include <stdint.h>
#include "base/problem.h"
#include "cost/cost.h"
#include "record/frozen.h"
#include "record/steplog.h"

enum latency_part {
	LATENCY_ADMISSION,
	LATENCY_IMBALANCE,
	LATENCY_DECODE_POOL,
	LATENCY_PREEMPTED,
	LATENCY_PROMPT,
	LATENCY_AGAIN,
	LATENCY_STALL,
	LATENCY_TRANSFER,
	LATENCY_COPIES,
	LATENCY_ADAPTERS,
	LATENCY_ENCODERS,
	LATENCY_DECODE,
	LATENCY_BETWEEN,
	LATENCY_FRONT,
	N_LATENCY_PARTS
};
/* For people; and as keys of JSON. */
extern const char *const latency_part_name[N_LATENCY_PARTS];
extern const char *const latency_part_key[N_LATENCY_PARTS];

/* Sums over the requests that ended; of TPOT those with several tokens.  Plain
 * data. */
struct latency_parts {
	uint64_t n_requests, n_multi;
	uint64_t prompt_tokens; /* computed in LATENCY_PROMPT */
	int64_t ns[ATTRIBUTION_STEPS][N_LATENCY_PARTS];
};
/* Returns the sum of the parts of a metric (ATTRIBUTION_*). */
int64_t latency_parts_sum(const struct latency_parts *x, int metric);
/* Returns the mean of one part over the requests; 0 without requests. */
double latency_parts_mean(const struct latency_parts *x, int metric, int part);

struct engine; /* engine/engine.h */
struct latency_task {
	const struct steplog *steps, *requests; /* of a run */
	struct cost *cost[2];                   /* by pool, as in simulate() */
	const struct engine *engine;
};
/* Returns 0, or -1 with *p filled in: the plugin failed at a step without its
 * prompts, or memory is out. */
int latency_split(const struct latency_task *t, struct latency_parts *out,
		  struct problem *p);
