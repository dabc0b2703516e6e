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
#include <string.h>
#include "stepcost/plugin.h"

#define COVERAGE_NONE SC_N_PROVENANCE
#define COVERAGE_CLASSES (SC_N_PROVENANCE + 1)

/* Steps of one shape that needed a guess. */
struct guessed_shape {
	uint32_t provenance; /* SC_CLAMPED, SC_SUBSTITUTED or SC_FALLBACK  */
	uint32_t n_decode, n_prefill; /* sequences                         */
	uint32_t prefill_tokens; /* new ones, rounded up to a power of two */
	uint32_t max_context;    /* longest KV before, rounded up likewise    */
	uint32_t pool;
	uint64_t steps;
	double time_us; /* of those steps, that came so                    */
};
#define GUESSED_SHAPES 32u
#define COVERAGE_HINTS 128u

/* Zeroed: nothing yet. */
struct coverage {
	double time_us[COVERAGE_CLASSES]; /* sums to total_us            */
	double total_us;
	uint32_t n_guessed, reserved;
	/* heaviest first once coverage_sort() was called; when there are more
	 * shapes than places, a new one inherits the place and the time of the
	 * lightest ("space saving": times are upper bounds then) */
	struct guessed_shape guessed[GUESSED_SHAPES];
	/* to find a shape: of each; and places where to look at first */
	uint32_t hash[GUESSED_SHAPES];
	uint8_t hint[COVERAGE_HINTS];
};
/* Of a step that was priced through tables, in part at least. */
void coverage_add_lookups(struct coverage *c, const sc_step *step,
			  const sc_result *result, uint32_t pool);
static inline void coverage_add(struct coverage *c, const sc_step *step,
				const sc_result *result, uint32_t pool)
{
	uint64_t bits[SC_N_PROVENANCE], any = 0;
	memcpy(bits, result->lookup_us, sizeof bits);
	for (uint32_t i = 0; i < SC_N_PROVENANCE; i++)
		any |= bits[i];
	c->total_us += result->total_us;
	if (any)
		coverage_add_lookups(c, step, result, pool);
	else
		c->time_us[COVERAGE_NONE] += result->total_us;
}
void coverage_sort(struct coverage *c);
#endif
