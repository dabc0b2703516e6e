/* sim/decode_run.h -- the step that was chosen, and the decodes behind it up to
 * the next event: as far as their prices are known, they are carried out in one
 * pass.  All that comes of them is the same as if each had been scheduled
 * alone.  [one thread] */
#ifndef SC_SIM_DECODE_RUN_H
#define SC_SIM_DECODE_RUN_H
#include "sim/batch.h"
#include "sim/replica_state.h"

/* 1: the replica's steps can be sent so, from its making on. */
int decode_run_is_possible(const struct replica *r);
/* Sends the step that was chosen, of that price, and those that follow it as
 * foreseen, to the GPU; b is the last of them then.  0, or -1 with *p. */
int decode_run_send(struct replica *r, struct batch *b, const sc_result *first);
#endif
