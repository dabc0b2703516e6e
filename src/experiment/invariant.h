/* experiment/invariant.h -- what must hold of the priced steps of a claim, in
 * kinds: mfu_within(ARM), equal_batch(A, B, PART), moves_only(PART ...),
 * ratio_at_most(PART, EXPR), above_floor(ARM), monotone(AXIS, ARM), flops(ARM,
 * PART, EXPR); any other text is an expression over the tables. */
#pragma once
#include "experiment/experiment.h"

/* Reads i->text.  Returns 0, or -1 with *p filled in. */
int invariant_parse(struct xp_invariant *i, struct problem *p);
/* Adds the arms that it asks. */
int invariant_arms(const struct xp_invariant *i, struct names *arms);
/* Sets i->why.  Returns 0, or -1 with *p filled in. */
int invariant_judge(struct xp_invariant *i, const struct experiment *x,
		    struct problem *p);
