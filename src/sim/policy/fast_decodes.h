/* sim/policy/fast_decodes.h -- running requests that decode one token in every
 * step, kept as columns, so that a step only adds 1 for each.
 *
 * These requests are the first ones in running[], together with those that have
 * their last token in flight.  A steady request is in every batch from the one
 * in which it became steady.  So its progress follows from the numbers of
 * batches formed and processed since, and its struct progress does not change.
 * fast_decodes_settle() writes the progress back and leaves no request steady;
 * a decision about single requests begins with it.
 *
 * Used by policy vllm, with at most one batch in flight while the next is
 * formed. [one thread] */
#pragma once
#include "sim/policy/vllm/vllm_state.h"

/* Its columns are arrays of the scheduler. */
void fast_decodes_init(struct fast_decodes *c, struct scheduler *s);
/* Schedules all steady requests.  Returns the index in running[] of the first
 * request that is not scheduled yet: the one behind them; or, if budget or
 * blocks are short, the one that needs room, and then no request is steady any
 * more. */
uint32_t fast_decodes_run(struct vllm *s);
void fast_decodes_settle(struct vllm *s);
/* The scheduled step was priced; the decoding requests behind the steady ones
 * join them. */
void fast_decodes_commit(struct vllm *s, struct batch *b);
/* Writes back the progress of a request that had its last token in the
 * batch. */
void fast_decodes_end(struct vllm *s, uint32_t sequence);
