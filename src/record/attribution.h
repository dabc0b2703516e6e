/* record/attribution.h -- why two cost models give one workload different
 * latencies.
 *
 * Open loop: the steps of arm A's run, priced by B, and nothing else changed
 * (openloop.h).  The difference of each metric is then a weighted sum over
 * steps, and so splits exactly by component (components.h) and by regime.
 * Feedback is the rest: B's own run minus that, queueing, preemption and
 * cache, which the scheduler makes of the difference.
 *
 * Regimes: prefill, decode and mixed steps; powers of two of the batch, of the
 * mean KV length of its sequences (cached and new) and of longest / mean.
 * Bin i holds [2^i, 2^(i+1)).  Attention is also split by the KV length of each
 * request: by what both models answer for the requests of one bin alone.
 * ns throughout; [one thread]; no printing. */
#ifndef SC_RECORD_ATTRIBUTION_H
#define SC_RECORD_ATTRIBUTION_H
#include <stdint.h>
#include "base/problem.h"
#include "cost/breakdown.h"
#include "cost/components.h"
#include "cost/cost.h"
#include "math/statistics.h"
#include "record/openloop.h"
#include "record/steplog.h"

/* What a difference is measured in: the mean of a metric, or, without
 * weights, the sum of all step times. */
enum attributed {
	ATTRIBUTION_TTFT,
	ATTRIBUTION_TPOT,
	ATTRIBUTION_E2EL,
	ATTRIBUTION_STEPS,
	N_ATTRIBUTED
};
extern const char *const attributed_name[N_ATTRIBUTED]; /* "mean_ttft_ms" */

enum regime_kind {
	REGIME_PHASE,    /* 0 prefill, 1 decode, 2 mixed                      */
	REGIME_BATCH,    /* sequences                                         */
	REGIME_MEAN_KV,  /* tokens                                            */
	REGIME_KV_RATIO, /* longest / mean                                    */
	REGIME_REQUEST_KV, /* tokens; attention only */
	N_REGIMES
};
enum { REGIME_BINS = 24 };
extern const char *const regime_name[N_REGIMES];

/* Steps of one shape: counts as they are, token numbers up to a power of two.
 */
struct step_shape {
	uint32_t n_decode, n_prefill;
	uint32_t prefill_tokens, longest_kv;
};
struct shape_difference {
	struct step_shape shape;
	uint64_t steps;
	double ns[N_ATTRIBUTED];
	/* the one of them that differs most, to be tried with `eval` */
	uint64_t example; /* its place in the log                            */
	double example_ns;
};
enum { SHAPES_KEPT = 10 };

struct parting { /* a step, as both models see it                            */
	int found;
	uint64_t place; /* in the log                                        */
	uint64_t step_index;
	uint32_t replica;
	double a_us, b_us;
	double a_part_us[N_PARTS], b_part_us[N_PARTS]; /* NaN: none          */
};

/* Plain data. */
struct attribution {
	uint64_t n_steps, n_requests;
	int64_t duration_ns;                        /* open loop */
	struct stats_summary ttft, tpot, itl, e2el; /* open loop             */
	double recorded_ns[N_ATTRIBUTED], openloop_ns[N_ATTRIBUTED];
	double component_ns[N_ATTRIBUTED][N_COMPONENTS];
	double regime_ns[N_ATTRIBUTED][N_REGIMES][N_COMPONENTS][REGIME_BINS];
	struct shape_difference shape[SHAPES_KEPT]; /* by |step time|        */
	uint32_t n_shapes;
	struct parting first, widest; /* parting by more than the threshold;
					 the step that differs most          */
};

struct attribution_task {
	const struct steplog *steps, *requests; /* of arm A's run            */
	struct cost *a[2], *b[2];  /* by pool, as simulate() takes them       */
	uint32_t prefill_replicas; /* of A's run: the pool of prompts; 0: there
				      is one pool                            */
	int64_t schedule_ns;
	double threshold; /* relative, for the first parting                 */
};
/* 0, or -1 with *p: a plugin failed, or memory ran out. */
int attribute(const struct attribution_task *t, struct attribution *out,
	      struct problem *p);
#endif
