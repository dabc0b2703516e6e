/* record/attribution.h -- why two cost models give one workload different
 * latencies.
 *
 * The steps of arm A's run are priced by B, on a frozen schedule (frozen.h):
 * the same work in the same batches at B's speed.  The difference of each
 * metric is then a weighted sum over steps, so it splits exactly by component
 * (components.h), by regime, by shape and by step.  The rest is feedback: B's
 * own run minus that one; it is what a faster or slower clock changes in
 * batching, queueing and cache.
 *
 * Regimes: prefill, decode and mixed steps; powers of two of the mean KV length
 * of the sequences of a batch (cached and new).  Bin i holds [2^i, 2^(i+1)). ns
 * throughout; [one thread]; no printing. */
#pragma once
#include <stdint.h>
#include "base/problem.h"
#include "cost/breakdown.h"
#include "cost/components.h"
#include "cost/cost.h"
#include "decide/equality.h"
#include "math/statistics.h"
#include "record/frozen.h"
#include "record/shapes.h"
#include "record/steplog.h"

enum regime_kind {
	REGIME_PHASE,   /* 0 prefill, 1 decode, 2 mixed */
	REGIME_MEAN_KV, /* tokens */
	N_ATTRIBUTION_REGIMES
};
extern const char *const regime_name[N_ATTRIBUTION_REGIMES];

enum { REGIME_BINS = 24 };
/* Returns floor(log2(v)); 0 below 1, at most REGIME_BINS − 1. */
uint32_t regime_bin(double v);

enum { SHAPES_KEPT = 10 };

struct divergence { /* a step, priced by both models */
	int found;
	uint64_t place; /* entry in the log */
	uint64_t step_index;
	uint32_t replica;
	double a_us, b_us;
	/* NaN: the model does not have it */
	double a_part_us[N_PARTS], b_part_us[N_PARTS];
};

/* A part of a component that both plugins name. */
struct named_difference {
	char name[NAMED_SIZE];
	enum component component;
	double ns[N_ATTRIBUTED];
};

/* Plain data. */
struct attribution {
	uint64_t n_steps, n_requests;
	double duration_ns;                         /* frozen schedule */
	struct stats_summary ttft, tpot, itl, e2el; /* frozen schedule */
	double recorded_ns[N_ATTRIBUTED];
	/* frozen − recorded */
	double difference_ns[N_ATTRIBUTED];
	double component_ns[N_ATTRIBUTED][N_COMPONENTS];
	double regime_ns[N_ATTRIBUTED][N_ATTRIBUTION_REGIMES][N_COMPONENTS]
			[REGIME_BINS];
	/* Finer than components, for two additive models that name parts. */
	struct named_difference named[NAMED_PARTS];
	uint32_t n_named;
	struct shape_difference shape[SHAPES_KEPT]; /* by |step time| */
	uint32_t n_shapes;
	/* The first step that differs by more than the threshold; the step that
	 * differs most. */
	struct divergence first, largest_difference;
	struct equal_steps equal; /* the prices of both on all steps */
};

struct engine; /* engine/engine.h */
struct attribution_task {
	const struct steplog *steps, *requests; /* of arm A's run */
	struct cost *a[2], *b[2];               /* by pool, as in simulate() */
	const struct engine *engine;            /* of A's run */
	double threshold; /* relative difference, for `first` */
};
/* Returns 0, or -1 with *p filled in: a plugin failed, or memory is out. */
int attribute(const struct attribution_task *t, struct attribution *out,
	      struct problem *p);
