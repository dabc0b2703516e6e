/* record/openloop.h -- a run replayed with other step times: its steps, their
 * members and their order stay, each step lasts as long as another cost model
 * says.
 *
 * A step starts when the one before it on its replica ends, and where the run
 * was idle before it, not before that idle time ended.  Everything else, when
 * requests come and which step they are in, stays as recorded: what differs is
 * the cost model alone and none of what the engine makes of it.
 *
 * Since a step's shift is the sum of the differences before it, back to the
 * last idle time that swallowed them, each metric's difference is a weighted
 * sum over the steps' differences: weight[] of struct openloop_step.
 * Integer ns; [one thread]; no printing. */
#ifndef SC_RECORD_OPENLOOP_H
#define SC_RECORD_OPENLOOP_H
#include <stddef.h>
#include <stdint.h>
#include "base/problem.h"
#include "math/statistics.h"
#include "record/steplog.h"

enum openloop_metric {
	OPENLOOP_TTFT,
	OPENLOOP_TPOT,
	OPENLOOP_E2EL,
	N_OPENLOOP
};

struct openloop_step {
	int64_t lasted_ns, lasts_ns; /* as recorded; now                     */
	int64_t shift_ns;            /* of its end                           */
	double carried; /* share of the shift before it that reached it      */
	uint32_t replica;
	uint32_t reserved;
	/* d(mean of the metric) / d(lasts_ns): ns per ns                    */
	double weight[N_OPENLOOP];
};
struct openloop {
	struct openloop_step *step; /* in the order of the log               */
	size_t n_steps;
	uint64_t n_requests; /* that ended                                   */
	int64_t first_arrival_ns, last_token_ns;
	struct stats_summary ttft, tpot, itl, e2el; /* ns                    */
	/* of the recorded run, the same definitions */
	double recorded_mean_ns[N_OPENLOOP];
};

/* lasts_ns[i]: of step i of the log.  schedule_ns, as the engine was told: a
 * gap of just that is the engine's own and no idle time.
 * 0, or -1 with *p; openloop_free() in either case. */
int openloop_run(struct openloop *r, const struct steplog *steps,
		 const struct steplog *requests, const int64_t *lasts_ns,
		 size_t n_steps, int64_t schedule_ns, struct problem *p);
void openloop_free(struct openloop *r);
#endif
