/* sim/step/decode_run.h -- executes the chosen step and the decodes behind it
 * up to the next event in one pass, as far as their prices are known.  The
 * results are the same as if each step had been scheduled separately.  [one
 * thread] */
#pragma once
#include "sim/batch.h"
#include "sim/replica_state.h"

/* Returns 1 if the replica's steps can be executed in this way; this never
 * changes after the replica is made. */
int decode_run_is_possible(const struct replica *r);
/* Sends the chosen step with that price, and the expected steps behind it, to
 * the GPU; b becomes the last of them.  Returns 0, or -1 with *p filled in. */
int decode_run_send(struct replica *r, struct batch *b, const sc_result *first);
