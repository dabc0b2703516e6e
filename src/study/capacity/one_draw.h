/* study/capacity/one_draw.h -- the highest rate at which the requests of one
 * seed, and no others, meet the bounds: for comparisons with results that were
 * searched so.  The answer holds for this draw only.
 *
 * A rate is met if every bound holds, every request was served and the engine
 * was not overloaded.  The scale of the rate is bracketed by powers of two and
 * then bisected (in ratio), so the same configuration always tries the same
 * rates.  [one thread]; no printing. */
#ifndef SC_STUDY_CAPACITY_ONE_DRAW_H
#define SC_STUDY_CAPACITY_ONE_DRAW_H
#include "study/capacity/capacity.h"

/* low is request_rate, high the lowest rate that was not met (INFINITY: every
 * rate was).  Returns 0, or -1 with *p. */
int capacity_one_draw(const struct capacity_task *t, struct capacity *out,
		      struct problem *p);
#endif
