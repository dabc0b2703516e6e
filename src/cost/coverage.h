/* cost/coverage.h -- how much of the simulated time was measured and how much
 * was guessed: shares by provenance, and the shapes of steps with the most
 * guessed time.
 *
 * The time of a step is divided among its priced parts: the time that the cost
 * model reports per provenance, scaled down if it exceeds the step (parts
 * overlap).  The rest is COVERAGE_NONE: no table priced it. Plain data without
 * pointers: crosses process borders. */
#pragma once
#include <stdint.h>
#include "cost/estimates.h"
#include "stepcost/plugin.h"

#define COVERAGE_NONE SC_N_PROVENANCE
#define COVERAGE_CLASSES (SC_N_PROVENANCE + 1)

/* Zeroed means empty. */
struct coverage {
	double time_us[COVERAGE_CLASSES]; /* sums to total_us */
	double total_us;
	struct estimates estimates;
};
/* Adds a step with its price; or n > 1 steps step[0] … step[n - 1] with the
 * same decodes only, where each context grows by one token per step. */
void coverage_add(struct coverage *c, const sc_step *step, uint32_t n,
		  const sc_result *const *result, uint32_t pool);
