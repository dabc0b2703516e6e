/* record/frozen.h -- the schedule of a run with other step times, on a clock of
 * its own: which requests are in which step, and at which fraction of which
 * step each of them came and went, stay as recorded.
 *
 * f maps a moment of the recorded time to its moment under other step times:
 *   inside a step, recorded [s, e), lasting d' instead of d:
 *                              f(t) = f(s) + (t − s) · d' / d
 *   outside of steps           slope 1
 * Replicas have clocks of their own; those that step together have one.  Where
 * steps overlap (pipelines), a step owns what is left of it when the one before
 * it has ended.  A request's life is a chain of stays with replicas, each
 * mapped by their clock; what lies between stays keeps its length.  So latency'
 * − latency = Σ over steps w_i (d'_i − d_i),  w_i ≥ 0: the share of the step
 * that the request was there for.
 *
 * Order: frozen_open(), frozen_step() for every step as the log has them with
 * frozen_token() for the tokens it makes, frozen_close(); frozen_free() in any
 * case.  One pass over the steps; of requests memory for each.
 * ns; [one thread]; no printing. */
#ifndef SC_RECORD_FROZEN_H
#define SC_RECORD_FROZEN_H
#include <stddef.h>
#include <stdint.h>
#include "base/problem.h"
#include "math/statistics.h"
#include "record/steplog.h"

/* What a difference is measured in: the mean of a metric, or the sum of all
 * step times. */
enum attributed {
	ATTRIBUTION_TTFT,
	ATTRIBUTION_TPOT,
	ATTRIBUTION_E2EL,
	ATTRIBUTION_STEPS,
	N_ATTRIBUTED
};
extern const char *const attributed_name[N_ATTRIBUTED]; /* "mean_ttft_ms" */

/* Of a step: all under other times, as recorded, and what it moves. */
struct frozen_step {
	uint32_t clock;
	int64_t start_ns, end_ns; /* as recorded                             */
	int64_t lasts_ns;         /* now                                     */
	/* filled in: d(mean of the metric) / d(lasts_ns), ns per ns         */
	double weight[ATTRIBUTION_STEPS];
};

/* A run under other step times; plain data. */
struct frozen_run {
	uint64_t n_requests; /* that ended                                   */
	double duration_ns;  /* the first arrival to the last token          */
	/* means: as recorded (to the ns of the engine); and what is added   */
	double recorded_ns[ATTRIBUTION_STEPS], difference_ns[ATTRIBUTION_STEPS];
	struct stats_summary ttft, tpot, itl, e2el; /* percentiles to the ns */
};

struct frozen;
/* clock_of[replica]: from 0 on, below n_replicas.  NULL with *p: out of
 * memory. */
struct frozen *frozen_open(const struct steplog *requests,
			   const uint32_t *clock_of, uint32_t n_replicas,
			   struct problem *p);
void frozen_step(struct frozen *z, struct frozen_step *s);
/* The step that was last on that clock made a token of that request. */
void frozen_token(struct frozen *z, uint32_t clock, uint64_t row);
/* 0, or -1 with *p: out of memory. */
int frozen_close(struct frozen *z, struct frozen_run *out, struct problem *p);
void frozen_free(struct frozen *z);
#endif
