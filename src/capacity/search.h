/* capacity/search.h -- searches the highest rate of a fleet, or the least
 * fleet for a rate.
 *
 * Replications are numbered and have the same seeds in every search, so that
 * fleets and arms can be compared on common random numbers.  [one thread]; no
 * printing. */
#pragma once
#include "capacity/capacity.h"

/* From nothing to the answer; *s is overwritten, and has the answer so far
 * (answer.verdict, once there is an interval) whenever the process is stopped.
 * Returns 0, or -1 with *p. */
int capacity_search(const struct capacity_task *t, struct capacity_search *s,
		    struct problem *p);
/* The same for those who need the answer alone. */
int capacity_find(const struct capacity_task *t, struct capacity *out,
		  struct problem *p);
