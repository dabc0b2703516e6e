/* capacity/decision_inputs.h -- looks at all searches of a study of deployments
 * together: arms against each other, and the decision.  [main] */
#pragma once
#include "capacity/deployment.h"

/* Compares arms, as d->pair: with up to four every pair, else each and the
 * first.  Returns 0, or -1 with *p: out of memory. */
int decision_inputs_pairs(struct deployments *d, struct problem *p);
/* Fills in d->decision.  Returns 0, or -1 with *p. */
int decision_inputs_decide(struct deployments *d, struct problem *p);
/* Returns the candidate that an arm would choose if it errs by as much as
 * elsewhere, or as it is where it has no intervals; n_candidates: none meets
 * the bounds.  After decision_inputs_decide(). */
size_t decision_inputs_pessimistic_choice(const struct deployments *d,
					  size_t arm);
