/* record/decodes_alone.h -- the share of a step's price that its prompts add:
 * the step is priced once more with its decodes alone.
 *
 * A step without prompts may replay a captured graph where the step itself
 * could not; ranks in lockstep take the longest of their prices, and each
 * without a decode runs a dummy of one.  Time that the engine adds to a price
 * (drafting, waiting between stages) is shared in the same proportion.
 * ns; [one thread]. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "base/problem.h"
#include "cost/cost.h"
#include "record/steplog.h"

struct engine; /* engine/engine.h */
/* added_ns of price_ns; 0 <= added_ns <= price_ns. */
struct prompt_share {
	int64_t price_ns, added_ns;
};
/* For the step at [from, end) of the log.  cost: of its pool.  Returns 0, or -1
 * with *p filled in if the plugin failed. */
int decodes_alone(struct prompt_share *share, const struct engine *e,
		  struct cost *cost, const struct steplog *l, size_t from,
		  size_t end, struct problem *p);
/* Returns the share of a length of time, rounded down. */
int64_t prompt_share_of(const struct prompt_share *share, int64_t ns);
