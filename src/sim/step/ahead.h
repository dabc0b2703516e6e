/* sim/step/ahead.h -- prices of future steps: between two events the decodes of
 * a replica differ only in their contexts, so they are priced in one call.  If
 * the steps turn out differently, they are priced again, and the prices that
 * were not used are never reported.  [one thread] */
#pragma once
#include "base/problem.h"
#include "cost/cost.h"
#include "sim/scheduler.h"

struct ahead {
	uint32_t n, used; /* of the steps that were priced last */
	/* in *cost, until its next call */
	const struct cost_answer *answer;
	uint64_t asked;
};

/* Returns 1 if the price of the next step is known, provided that each step
 * since has gone on. */
static inline int ahead_knows(const struct ahead *a, const struct cost *c)
{
	return a->used < a->n && a->asked == c->n_asked;
}
/* Call it when the steps do not go on as expected. */
static inline void ahead_drop(struct ahead *a)
{
	a->n = a->used = 0;
}
/* Returns that price. */
static inline const sc_result *ahead_take(struct ahead *a)
{
	return &a->answer[a->used++].is;
}
/* ahead_known() returns how many prices are known; ahead_see() returns the
 * i-th, from 0; ahead_steps() returns their steps. */
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
/* Returns the price of the step that the scheduler has chosen, until the next
 * call.  *a is zeroed at first.  most: how many steps behind it are worth
 * pricing with it.  Returns NULL with *p filled in as cost_eval(). */
const sc_result *ahead_price(struct ahead *a, struct scheduler *s,
			     struct cost *c, const sc_step *step, uint32_t most,
			     struct problem *p);
