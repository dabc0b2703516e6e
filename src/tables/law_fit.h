/* tables/law_fit.h -- fits the constants of a law to measured times, for the
 * laws of operators and of mixers.
 *
 * The fit minimises the mean Huber loss (0.15) of log(law / measured), plus
 * 1e-4 times the squared distance of the constants from their start; constants
 * count as their logarithm, shares as their logit.  It uses several starts,
 * because the loss is flat in some constants and has more than one minimum. */
#pragma once
#include <stdint.h>
#include "base/problem.h"
#include "stepcost/kernel/operator_law.h"

enum { LAW_FIT_CONSTANTS = SC_OPLAW_CONSTANTS };

struct law_fit {
	uint32_t n_constants; /* at most LAW_FIT_CONSTANTS */
	const struct sc_oplaw_constant *constant;
	uint64_t n; /* measured times, 1 at least */
	/* Fills in r[n] = log(law / measured) with constants c. */
	void (*residuals)(const void *ctx, const double *c, double *r);
	const void *ctx;
};
/* Fills in the best constants, the loss there, and the mean of |law / measured
 * - 1|.  Returns -1 with *p filled in. */
int law_fit(const struct law_fit *q, double *c, double *loss,
	    double *mean_error, struct problem *p);
