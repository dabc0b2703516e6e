/* capacity/one_draw.h -- the highest rate at which the requests of one
 * seed, and no others, meet the bounds: for comparisons with results that were
 * searched so, and for races between configurations.  The answer holds for this
 * draw only.
 *
 * The scale of the rate is bracketed and then bisected (in ratio), so the same
 * configuration always tries the same rates.  [one thread]; no printing. */
#pragma once
#include "capacity/draw.h"

/* low is request_rate, high the lowest rate that was not met (INFINITY: every
 * rate was).  Returns 0, or -1 with *p. */
int capacity_one_draw(const struct capacity_task *t, struct capacity *out,
		      struct problem *p);

/* Where a search begins, and how it goes on. */
struct draw_search {
	double first;  /* scale of the rate                                   */
	double factor; /* from one rate of the bracket to the next; above 1   */
	struct draw_rules rules;
};
/* As capacity_one_draw(), but begins and goes on as `how` says.  *best is the
 * draw at the highest rate that met the bounds, or if none did, at the lowest
 * rate. */
int draw_search(const struct capacity_task *t, const struct draw_search *how,
		struct capacity *out, struct draw *best, struct problem *p);
