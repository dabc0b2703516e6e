/* sim/acceptance.h -- which drafts of a request are accepted.
 *
 * Each place of the output is tried once, with a number that depends on the
 * seed, the request's row and the place alone: the outcome is the same whatever
 * the schedule, and a preemption repeats nothing.  Integers, and one comparison
 * of doubles that is exact on every machine.  [any thread] */
#ifndef SC_SIM_ACCEPTANCE_H
#define SC_SIM_ACCEPTANCE_H
#include <stdint.h>
#include "engine/speculation.h"

/* In [0, 1). */
double acceptance_try(uint64_t seed, uint64_t row, uint32_t place);
/* Of n drafts, for the output places from `place` (0: the first token) on. */
uint32_t acceptance_count(const struct speculation *s, uint64_t row,
			  uint32_t place, uint32_t n);

/* What verification came to; a verified decode is one draft in vLLM's words. */
struct acceptance_sum {
	uint64_t drafts, draft_tokens, accepted_tokens;
	uint64_t accepted_at[ENGINE_DRAFTS]; /* by position               */
};
void acceptance_add(struct acceptance_sum *to, uint32_t drafted,
		    uint32_t accepted);
void acceptance_merge(struct acceptance_sum *to,
		      const struct acceptance_sum *from);
#endif
