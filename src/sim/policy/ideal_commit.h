/* sim/policy/ideal_commit.h -- what a step leaves behind under the policy
 * plain: tokens, first and last ones among them, and pauses between them.
 * Functions of the policy (sim/scheduler.h).  [one thread] */
#pragma once
#include "sim/policy/ideal_state.h"

/* The step that was formed last was priced: each of its requests gets its
 * tokens. */
void ideal_commit(struct scheduler *is, struct batch *b);
/* The same for n steps at once in which every row decodes. */
void ideal_commit_run(struct scheduler *is, uint32_t n, struct batch *b);
/* The step ended at `now`: requests with all their tokens give back their
 * blocks. */
void ideal_process(struct scheduler *is, struct batch *b, int64_t now);
