/* recommend/phase.h -- the phases of a recommendation: in each, every arm has
 * questions, which workers answer side by side.  [main] */
#pragma once
#include "recommend/state.h"

enum phase {
	PHASE_SURVEY, /* which configurations can be, and what they take */
	PHASE_RACE,
	PHASE_SEARCH, /* of the shortlist in full, under every arm */
	PHASE_FRONT,  /* lower rates of each shape                            */
	PHASE_MISS, /* how near arms without a winner come                   */
};
/* Returns 0; or -1 with *p, perhaps because the user interrupted:
 * r->interrupted. */
int phase_run(struct recommend *r, enum phase which, struct problem *p);
