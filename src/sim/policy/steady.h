/* sim/policy/steady.h -- running requests that decode one token in every step,
 * kept as columns, so that a step does nothing per request but add 1.
 *
 * These requests stand in front of running[], with those whose last token is
 * in flight among them.  Each is in every batch from the one in which it became
 * steady; so how far it is follows from the numbers of batches formed and
 * processed since, and its struct progress stands still.  steady_settle()
 * writes all that down and leaves no request steady: what has to be decided
 * request by request begins with it.
 *
 * Serves policy vllm, with at most one batch in flight while the next is
 * formed.  [one thread] */
#ifndef SC_SIM_POLICY_STEADY_H
#define SC_SIM_POLICY_STEADY_H
#include "sim/policy/vllm_state.h"

/* 0, or -1: out of memory; steady_free() in either case. */
int steady_init(struct steady *c, const struct scheduler *s);
void steady_free(struct steady *c);
/* Schedules them all.  Returns the place in running[] of the first request that
 * is not scheduled yet: behind them, or, where budget or blocks are short, of
 * the one that needs room, and nobody is steady then. */
uint32_t steady_run(struct vllm *s);
void steady_settle(struct vllm *s);
/* The step that was scheduled has been priced; those behind the steady ones who
 * decode join them. */
void steady_commit(struct vllm *s, struct batch *b);
/* For one whose last token was in the batch: how far it is. */
void steady_end(struct vllm *s, uint32_t sequence);
#endif
