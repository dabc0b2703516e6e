/* capacity/search.h -- searches the capacity of a workload.
 *
 * A search has stages, so that the caller can look at several searches between
 * them: capacity_pilot() finds the region and how long a run must be,
 * capacity_refine() narrows the interval.  Replications are numbered and have
 * the same seeds in every search, so that arms can be compared on common random
 * numbers.  [one thread]; no printing. */
#ifndef SC_CAPACITY_SEARCH_H
#define SC_CAPACITY_SEARCH_H
#include "capacity/capacity.h"

/* Begins a search: *s is overwritten.  Returns 0, or -1 with *p. */
int capacity_pilot(const struct capacity_task *t, struct capacity_search *s,
		   struct problem *p);
/* Goes on until the half width is at most that (or t->precision, whichever is
 * larger) or a stop.  s->requests may have been raised since the pilot.
 * Returns 0, or -1 with *p. */
int capacity_refine(const struct capacity_task *t, struct capacity_search *s,
		    double half_width, struct problem *p);
/* Both: from nothing to the answer.  Returns 0, or -1 with *p. */
int capacity_find(const struct capacity_task *t, struct capacity *out,
		  struct problem *p);
#endif
