/* sim/ahead.h -- prices of steps that are to come: between two events the
 * decodes of a replica differ in their contexts alone, so they are priced in
 * one call.  What comes to pass otherwise is priced anew, and nobody learns of
 * the prices that were not used.  [one thread] */
#ifndef SC_SIM_AHEAD_H
#define SC_SIM_AHEAD_H
#include "base/problem.h"
#include "cost/cost.h"
#include "sim/scheduler.h"

struct ahead {
	uint32_t n, used; /* of the steps that were priced last */
	const struct cost_answer
	    *answer; /* in *cost, until it is asked again */
	uint64_t asked;
};

/* 1: the price of the next step is known, as long as each step since has gone
 * on. */
static inline int ahead_knows(const struct ahead *a, const struct cost *c)
{
	return a->used < a->n && a->asked == c->n_asked;
}
/* It does not go on. */
static inline void ahead_drop(struct ahead *a)
{
	a->n = a->used = 0;
}
/* That price. */
static inline const sc_result *ahead_take(struct ahead *a)
{
	return &a->answer[a->used++].is;
}
/* How many are known; the i-th of them, i from 0; and their steps. */
static inline uint32_t ahead_known(const struct ahead *a, const struct cost *c)
{
	return ahead_knows(a, c) ? a->n - a->used : 0;
}
static inline const sc_result *ahead_see(const struct ahead *a, uint32_t i)
{
	return &a->answer[a->used + i].is;
}
static inline const sc_step *ahead_steps(const struct ahead *a,
					 const struct scheduler *s)
{
	return s->columns.ahead + a->used - 1;
}
/* Zeroed: nothing is priced yet.  The price of the step that the scheduler has
 * chosen, until the next call. most: how many steps behind it are worth to be
 * priced with it.  NULL, with *p: cost_eval(). */
const sc_result *ahead_price(struct ahead *a, struct scheduler *s,
			     struct cost *c, const sc_step *step, uint32_t most,
			     struct problem *p);
#endif
