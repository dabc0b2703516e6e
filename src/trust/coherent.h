/* trust/coherent.h -- makes the intervals of one result agree with each other,
 * so that all of them can be true at once:
 * - p99 is not below p90, nor below the mean, at either end
 * - E2E latency is TTFT and the rest, which is as wrong as TPOT
 * - in a closed loop of clients throughput errs as E2E latency does (Little's
 *   law); in an open one it is at most the arrivals, and has no interval where
 *   all of these are served
 * - near saturation only TPOT is known, because a queue decides the others
 * Plain data; no printing.  [any thread] */
#pragma once
#include "trust/interval.h"

/* Figures of a result, in the order of trusted_metric[] (trusted.h). */
enum coherent_figure {
	COHERENT_TTFT, /* mean, p90, p99 of each latency */
	COHERENT_TPOT = 3,
	COHERENT_E2EL = 6,
	COHERENT_THROUGHPUT = 9,
	COHERENT_FIGURES
};

struct coherent_run {
	const double *value; /* [COHERENT_FIGURES]; 0 or NaN: not known      */
	double offered;      /* output tokens/s that arrive; 0: not known    */
	int is_stable;       /* no queue piled up                            */
	int is_loop;         /* clients with a new request for each answer   */
};

/* Changes x[COHERENT_FIGURES].  Intervals keep the lower end below the higher
 * one. */
void trust_cohere(struct trust_interval *x, const struct coherent_run *run);
