/* capacity/bounds.h -- the latency bounds that a capacity must meet, each
 * as a mean: a request scores y, and the bound is met if E y <= 1.
 *
 *   percentile p   y = [v > limit] / (1 - p)
 *   mean           y = v / limit
 *   goodput        y = [misses any of [slo]] / (1 - share)
 *
 * The mean of y over a run is its excess.  No quantile is estimated, so the
 * excess has the textbook intervals of a mean.  v is a latency of the request;
 * for ITL the gaps between tokens take the place of requests.  [any thread] */
#pragma once
#include <stddef.h>
#include "base/problem.h"
#include "record/metrics.h"
#include "trust/trusted.h"

enum { CAPACITY_BOUNDS = 16 };
/* The latencies that may be bounded, for help and messages. */
#define BOUND_LATENCIES "{ttft,tpot,itl,e2el}_{mean,p50,p90,p95,p99}_ms"

enum latency {
	LATENCY_TTFT,
	LATENCY_TPOT,
	LATENCY_ITL,
	LATENCY_E2EL,
	LATENCY_QUEUEING,
	LATENCY_GOOD, /* not a time: whether the request meets [slo]         */
};

/* "ttft_p99_ms=500", vLLM's name "p99_ttft_ms=500", or "goodput=0.95". */
struct bound {
	/* For goodput the metric of that run figure, request_goodput. */
	const struct metric *metric;
	double limit; /* ms; for goodput the share that must be good         */
	enum latency latency;
	double percentile; /* 0.99; 0: the mean is bounded                   */
};
struct bounds {
	struct bound bound[CAPACITY_BOUNDS];
	size_t n;
};

/* Parses "METRIC=LIMIT,...".  option: the command line option, for messages.
 * Returns 0, or -1 with EXIT_USAGE in *p. */
int bounds_parse(struct bounds *b, const char *option, const char *text,
		 struct problem *p);
/* Refuses a bound on goodput where no [slo] says which request is good. */
int bounds_check(const struct bounds *b, const char *option,
		 const struct slo_keys *slo, struct problem *p);
/* Makes a bound of a metric's name, either way round, or "goodput".  Returns 1,
 * or 0 for another name. */
int slo_bound_make(struct bound *b, const char *name, double limit);
/* "p99_ttft_ms", or "goodput". */
const char *slo_bound_name(const struct bound *b);
/* Returns the score of a latency, ms; for goodput of 1 if the request is good
 * and 0 if not. */
double bound_score(const struct bound *b, double value);
/* Returns the largest limit on TTFT or E2E latency, s; 0 without one. */
double bounds_longest_s(const struct bounds *b);
/* Bounds that a prediction must meet to meet `from` even where it errs by its
 * interval.  Returns 1, or 0: no bounded figure has one. */
int trusted_bounds(const struct trusted *t, const struct bounds *from,
		   struct bounds *to);
