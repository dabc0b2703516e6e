/* study/capacity.h -- the highest request rate at which a workload still meets
 * its latency bounds, found by simulating it at one rate after another.
 *
 * The workload stays as it is but for the density of its arrivals
 * (rate_scale).  A rate is met if every bound holds, every request was served
 * and the engine was not overloaded: a short run can end before its queue has
 * grown, and its percentiles then say nothing about the rate.
 * The scale is bracketed by powers of two and then bisected (in ratio), so the
 * same configuration always tries the same rates.
 * [one thread]; no printing. */
#ifndef SC_STUDY_CAPACITY_H
#define SC_STUDY_CAPACITY_H
#include <stdint.h>
#include <stdio.h>
#include "base/problem.h"
#include "record/metrics.h"
#include "sim/simulation.h"
#include "study/trusted.h"
#include "workload/workload.h"

enum { CAPACITY_BOUNDS = 16 };

/* "ttft_p99_ms=500,tpot_mean_ms=50", or vLLM's names (p99_ttft_ms). */
struct bound {
	const struct metric *metric;
	double limit;
};
struct bounds {
	struct bound bound[CAPACITY_BOUNDS];
	size_t n;
};
/* option: whose value it is, for messages.  0, or -1 with EXIT_USAGE in *p. */
int bounds_parse(struct bounds *b, const char *option, const char *text,
		 struct problem *p);

enum capacity_verdict {
	CAPACITY_FOUND,
	CAPACITY_NONE, /* not even the lowest rate tried meets the bounds    */
	CAPACITY_OPEN, /* nor does the highest one break them                */
};
extern const char *const capacity_verdict_name[];

/* What kept the lowest rate that was not met from being met: a bound, by its
 * index, or */
enum { BROKEN_BY_SATURATION = -1, BROKEN_BY_REJECTION = -2 };

/* Plain data. */
struct capacity {
	enum capacity_verdict verdict;
	uint32_t n_tried;
	double scale;        /* of the workload's own rate; the highest met  */
	double request_rate; /* offered at that scale: requests − 1 over the
				time from the first arrival to the last, 1/s */
	double output_throughput; /* tokens/s at that scale                  */
	double value[CAPACITY_BOUNDS]; /* of the bounded metrics, there; NaN:
				there is none, as TPOT of single tokens      */
	uint64_t requests, completed, rejected; /* there                     */
	struct trusted_load load; /* there                                   */
	double broken_scale,
	    broken_value; /* the lowest rate that was not met */
	int32_t broken_bound;
	uint32_t reserved;
};

/* The metric whose bound broke first, "saturation"; "": none did. */
const char *capacity_broken_by(const struct capacity *c,
			       const struct bounds *b);

struct capacity_task {
	const struct engine *engine;
	struct cost *const *cost; /* as simulate() takes them                */
	const struct workload_keys *workload;
	const struct ini *cfg;
	const struct traces *traces; /* as workload_open_with() takes them    */
	const struct bounds *bounds;
	double precision; /* relative, of the rate                           */
	FILE *said; /* notes on the workload, lines on rejections; or NULL   */
	void *step_memory;
};
/* 0, or -1 with *p. */
int capacity_search(const struct capacity_task *t, struct capacity *out,
		    struct problem *p);
#endif
