/* trust/interval.h -- between what a measurement would probably lie, by the
 * errors of other runs (split conformal prediction): the residuals
 * ln(measured / predicted) of the most specific group with 20 unsaturated rows,
 * {GPU family, class, format}, {class, format}, {class}, all.
 *
 * Of n residuals, coverage c: their median, and the ceil((n+1) c)-th smallest
 * distance from it; from 60 on the floor((n+1) (1-c)/2)-th and the
 * ceil((n+1) (1+c)/2)-th residual.  Source: Lei et al., Distribution-Free
 * Predictive Inference for Regression, JASA 2018.  Plain data; no printing. */
#ifndef SC_TRUST_INTERVAL_H
#define SC_TRUST_INTERVAL_H
#include <stdint.h>
#include "trust/scored.h"

#define INTERVAL_COVERAGE 0.9

struct trust_interval {
	double low, high; /* factors of the prediction                      */
	double coverage;
	uint32_t n;     /* rows of the group; 0: no group has enough        */
	char group[96]; /* "dense bf16 on H100", "..., models left out"     */
};

struct interval_of {
	const struct scored *scored;
	const struct trust_place *at;
	const char *metric; /* "mean_ttft_ms"                               */
	double coverage;
	int extrapolated; /* take the next wider group                      */
	const char *without_fold; /* whose rows do not count; NULL: all do   */
};
/* n is 0 where there is none, or memory ran out. */
struct trust_interval trust_interval_of(const struct interval_of *q);
#endif
