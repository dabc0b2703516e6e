/* record/uncertainty.h -- how sure a cost model is of latencies, from how sure
 * it is of steps, at the schedule that ran.
 *
 * A step time has an error that is drawn anew for each step (noise_us), and
 * errors by source that are the same draw for all steps (sigma_us; low_us and
 * high_us are one source).  Sources are independent.  A mean latency is a
 * weighted sum of step times; w_i is the mean over requests of the share of
 * step i that the request lived through: TTFT from its arrival to its first
 * token, E2EL to its last, TPOT between both, / (tokens - 1).  So
 *
 *   sd^2 = sum over sources k of (sum_i w_i sigma_ik)^2
 *        + sum_i (w_i noise_i)^2
 *   interval = mean * exp(+- z sd / mean)
 *
 * A percentile is that of L_r exp(+- z c_r / L_r) over requests r, where c_r
 * has common sources alone.  NaN counts as 0.  First order: feedback of step
 * times on batches is not in it.
 *
 * Order: uncertainty_step() and uncertainty_request() in any order, steps of a
 * replica in the order of time; then uncertainty_close().  [one thread]; no
 * printing. */
#pragma once
#include <math.h>
#include <stdint.h>
#include "base/problem.h"
#include "cost/cost.h"
#include "math/statistics.h"
#include "sim/observer.h"

#define UNCERTAINTY_COVERAGE 0.9

enum uncertain { UNCERTAIN_TTFT, UNCERTAIN_TPOT, UNCERTAIN_E2EL, N_UNCERTAIN };

/* Plain data. */
struct uncertain_latency {
	double mean_ns, sd_ns; /* of the mean over requests; 0: none */
	double noise_share;    /* of sd^2 */
	/* Over requests, each at its own lower and upper end. */
	struct stats_summary low, high;
};
struct uncertainty_run {
	uint64_t n_steps; /* that said how sure the model is; 0: none did */
	struct uncertain_latency of[N_UNCERTAIN];
};

/* Returns 1 if the answer says how sure the model is. */
static inline int uncertainty_is_known(const sc_result *r, uint32_t n_sigma)
{
	if (!isnan(r->noise_us) || !isnan(r->low_us))
		return 1;
	for (uint32_t k = 0; r->sigma_us && k < n_sigma; k++)
		if (r->sigma_us[k] > 0)
			return 1;
	return 0;
}
/* The variance of one step, in us^2, sources and noise. */
double uncertainty_step_variance(const sc_result *r, uint32_t n_sigma);

struct uncertainty;
/* n_sigma: sources of all plugins that price the run.  Returns NULL if memory
 * is out. */
struct uncertainty *uncertainty_new(uint32_t n_sigma);
void uncertainty_free(struct uncertainty *u);
/* Both return 0, or -1 if memory is out.  The answer has n_sigma sources, from
 * `first` on among all.  Requests that end before the first such step are left
 * out. */
int uncertainty_step(struct uncertainty *u, uint32_t replica, int64_t start_ns,
		     int64_t end_ns, const sc_result *r, uint32_t first,
		     uint32_t n_sigma);
int uncertainty_request(struct uncertainty *u, const struct request_event *e);
/* Returns 0, or -1 with *p filled in if memory is out. */
int uncertainty_close(struct uncertainty *u, struct uncertainty_run *out,
		      struct problem *p);

/* A run that asks its cost models how sure they are. */
struct uncertainty_watch {
	struct uncertainty *sum; /* NULL: no model can say so */
	struct cost *cost[2];    /* by pool */
	uint32_t first[2];       /* source of a pool among all */
	int is_known;            /* 1: a step said how sure its model is */
};
/* Begins to ask.  Two pools share sources if one plugin prices both.  Returns
 * 0, or -1 with *p filled in if memory is out.  The caller calls
 * uncertainty_free(w->sum) in either case. */
int uncertainty_ask(struct uncertainty_watch *w, struct cost *const cost[2],
		    struct problem *p);
/* Returns 1 if the answer says how sure the model is, and the run asks. */
static inline int uncertainty_is_asked(const struct uncertainty_watch *w,
				       uint32_t pool, const sc_result *r)
{
	return w->sum && uncertainty_is_known(r, w->cost[pool]->p->n_sigma);
}
/* Adds a step with such an answer, and has the next ones checked.  Returns 0,
 * or -1 with *p filled in if memory is out; the others, too. */
int uncertainty_add(struct uncertainty_watch *w, uint32_t pool,
		    uint32_t replica, int64_t start_ns, int64_t end_ns,
		    const sc_result *r, struct problem *p);
/* Adds those steps of a run that have one. */
int uncertainty_add_run(struct uncertainty_watch *w,
			const struct decode_run *run, struct problem *p);
/* The same.  Contexts grow along a run: a model that says so for none of its
 * ends says so for none. */
static inline int uncertainty_run_ends(struct uncertainty_watch *w,
				       const struct decode_run *run,
				       struct problem *p)
{
	if (!w->sum)
		return 0;
	uint32_t n_sigma = w->cost[run->pool]->p->n_sigma;
	return uncertainty_is_known(run->result[0], n_sigma) ||
		       uncertainty_is_known(run->result[run->n - 1], n_sigma)
		   ? uncertainty_add_run(w, run, p)
		   : 0;
}

/* The ends of the interval of a figure ("mean_ttft_ms", "p99_e2el_ms"), in ms,
 * and the share of noise in it (0 for percentiles).  Returns 1, or 0 if there
 * is none. */
int uncertainty_interval(const struct uncertainty_run *run, const char *metric,
			 double *low_ms, double *high_ms, double *noise_share);
/* Names of the figures that have one, in order; NULL-terminated. */
extern const char *const uncertainty_metric[];
