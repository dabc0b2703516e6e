/* record/frozen.h -- the frozen schedule: a run with other step times, on a
 * clock of its own.  Each step keeps its requests, and each request comes and
 * leaves at the same fraction of the same step as recorded.
 *
 * f maps a time of the recorded run to the time with other step times:
 *   inside a step, recorded [s, e), with duration d' instead of d:
 *                              f(t) = f(s) + (t − s) · d' / d
 *   outside of steps           slope 1
 * Each replica has its own clock; replicas that step together share one.  Where
 * steps overlap (pipelines), a step owns its part after the end of the step
 * before.  A request's life is a chain of visits on replicas, each mapped by
 * their clock; the time between visits keeps its length.  So latency' − latency
 * = Σ over steps w_i (d'_i − d_i),  w_i ≥ 0: the share of the step during which
 * the request was there.
 *
 * Order: frozen_open(), frozen_step() for every step in the order of the log,
 * with frozen_token() for the tokens it makes, frozen_close(); frozen_free() in
 * any case.  One pass over the steps; memory for each request.  ns; [one
 * thread]; no printing. */
#pragma once
#include <stdint.h>
#include "base/problem.h"
#include "math/statistics.h"
#include "record/steplog.h"

/* The quantity of a difference: the mean of a metric, or the sum of all step
 * times. */
enum attributed {
	ATTRIBUTION_TTFT,
	ATTRIBUTION_TPOT,
	ATTRIBUTION_E2EL,
	ATTRIBUTION_STEPS,
	N_ATTRIBUTED
};
extern const char *const attributed_name[N_ATTRIBUTED]; /* "mean_ttft_ms" */

/* A step; times as recorded and now; filled in: its effect. */
struct frozen_step {
	uint32_t clock;
	int64_t start_ns, end_ns; /* as recorded */
	int64_t lasts_ns;         /* its duration now */
	/* Filled in: d(mean of the metric) / d(lasts_ns), ns per ns. */
	double weight[ATTRIBUTION_STEPS];
};

/* The results with other step times; plain data. */
struct frozen_run {
	uint64_t n_requests; /* requests that ended */
	double duration_ns;  /* from the first arrival to the last token */
	/* Means as recorded (to the ns of the engine), and their
	 * differences. */
	double recorded_ns[ATTRIBUTION_STEPS], difference_ns[ATTRIBUTION_STEPS];
	struct stats_summary ttft, tpot, itl, e2el; /* percentiles to the ns */
};

struct frozen;
/* clock_of[replica]: the clock of each replica, below n_replicas.  Returns NULL
 * with *p filled in if memory is out. */
struct frozen *frozen_open(const struct steplog *requests,
			   const uint32_t *clock_of, uint32_t n_replicas,
			   struct problem *p);
void frozen_step(struct frozen *z, struct frozen_step *s);
/* The last step on that clock made a token of that request. */
void frozen_token(struct frozen *z, uint32_t clock, uint64_t row);
/* Returns 0, or -1 with *p filled in if memory is out. */
int frozen_close(struct frozen *z, struct frozen_run *out, struct problem *p);
void frozen_free(struct frozen *z);
