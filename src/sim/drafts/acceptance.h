/* sim/drafts/acceptance.h -- decides which draft tokens of a request are
 * accepted.
 *
 * Each position of the output is tried once, with a random number that depends
 * only on the seed, the request's row and the position.  So the outcome is the
 * same for every schedule, and a preemption repeats nothing.  Integers, and one
 * comparison of doubles that is exact on every machine.  [any thread] */
#pragma once
#include <stdint.h>
#include "engine/speculation.h"

/* Returns a number in [0, 1). */
double acceptance_try(uint64_t seed, uint64_t row, uint32_t place);
/* Returns how many of n drafts are accepted, for the output positions from
 * `place` on (0: the first token). */
uint32_t acceptance_count(const struct speculation *s, uint64_t row,
			  uint32_t place, uint32_t n);

/* Results of verification.  In vLLM's words, each decode that is verified is
 * one draft. */
struct acceptance_sum {
	uint64_t drafts, draft_tokens, accepted_tokens;
	uint64_t accepted_at[ENGINE_DRAFTS]; /* by position */
};
void acceptance_add(struct acceptance_sum *to, uint32_t drafted,
		    uint32_t accepted);
void acceptance_merge(struct acceptance_sum *to,
		      const struct acceptance_sum *from);
