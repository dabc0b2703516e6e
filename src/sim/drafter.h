/* sim/drafter.h -- what drafting adds to a step: one pass of the drafter over
 * all tokens of the step, then one token of each sequence that made one, for
 * each further draft.
 *
 * Those are priced on the KV that the step leaves, as if all of its drafts were
 * accepted, and one token more from pass to pass.  Source: vLLM,
 * v1/spec_decode/llm_base_proposer.py propose().  [one thread] */
#ifndef SC_SIM_DRAFTER_H
#define SC_SIM_DRAFTER_H
#include <stdint.h>
#include "base/problem.h"
#include "cost/cost.h"
#include "engine/engine.h"
#include "stepcost/plugin.h"

struct drafter {
	const struct engine *e;
	struct cost *cost; /* NULL: a pass takes e->draft_us                 */
	/* of a pass: [max_num_seqs], in step memory                         */
	uint32_t *ctx;
	uint64_t *id;
};
/* Sequences that made a token, of ranks that take their steps together: of
 * all, of the busiest; 0: it stands alone. */
struct drafter_group {
	uint32_t sampled, most_sampled;
};
/* Adds to *us what the step's passes take.  0, or -1 with *p. */
int drafter_add(const struct drafter *d, const sc_step *step,
		struct drafter_group group, double *us, struct problem *p);
#endif
