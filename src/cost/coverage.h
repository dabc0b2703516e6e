/* cost/coverage.h -- how much of the simulated time was measured, and how much
 * was guessed: shares by provenance, and the shapes of step whose guesses took
 * most of it.
 *
 * A step's time is shared out over its priced parts: what the cost model put
 * down per provenance, scaled down to the step if it is more than that (parts
 * overlap); what is left is COVERAGE_NONE, priced by no table.
 * Plain data, no pointers: crosses process borders. */
#ifndef SC_COST_COVERAGE_H
#define SC_COST_COVERAGE_H
#include <stdint.h>
#include "cost/guesses.h"
#include "stepcost/plugin.h"

#define COVERAGE_NONE SC_N_PROVENANCE
#define COVERAGE_CLASSES (SC_N_PROVENANCE + 1)

/* Zeroed: nothing yet. */
struct coverage {
	double time_us[COVERAGE_CLASSES]; /* sums to total_us            */
	double total_us;
	struct guesses guesses;
};
/* A step and its price; or n > 1 steps of the same decodes alone, step[0] to
 * step[n - 1], each context one token longer from step to step. */
void coverage_add(struct coverage *c, const sc_step *step, uint32_t n,
		  const sc_result *const *result, uint32_t pool);
#endif
