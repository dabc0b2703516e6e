/* sim/drafts/drafter.h -- the time that drafting adds to a step: one pass of
 * the drafter over all tokens of the step, then for each further draft one
 * token of each sequence that made a token.
 *
 * These passes are priced with the KV cache that the step leaves, as if all of
 * its drafts were accepted, and with one token more from pass to pass.  Source:
 * vLLM, v1/spec_decode/llm_base_proposer.py propose().  [one thread] */
#pragma once
#include <stdint.h>
#include "base/problem.h"
#include "cost/cost.h"
#include "engine/engine.h"
#include "stepcost/plugin.h"

struct drafter {
	const struct engine *e;
	struct cost *cost; /* NULL: a pass takes e->draft_us */
	/* For one pass: [max_num_seqs], in step memory. */
	uint32_t *ctx;
	uint64_t *id;
};
/* Sequences that made a token, in ranks that take their steps together: sum
 * over the ranks, and of the busiest rank; 0: a replica of its own. */
struct drafter_group {
	uint32_t sampled, most_sampled;
};
/* Adds the time of the step's passes to *us.  Returns 0, or -1 with *p filled
 * in. */
int drafter_add(const struct drafter *d, const sc_step *step,
		struct drafter_group group, double *us, struct problem *p);
