/* capacity/lengths.h -- the lengths of a workload's requests against what
 * an engine can serve, without a simulation.
 *
 * Whether a request is too long depends on its lengths alone.  The share of
 * such requests is counted once in many draws (of a trace, in all its rows), so
 * a short run with one of them says nothing.  [one thread] */
#pragma once
#include "capacity/capacity.h"

/* Draws, where the workload is generated. */
enum { LENGTHS_DRAWN = 100000 };

/* Returns 0, or -1 with *p: the workload cannot be opened. */
int capacity_lengths(const struct capacity_task *t,
		     struct capacity_lengths *out, struct problem *p);
/* Returns 1 if more requests are too long than CAPACITY_MOST_REJECTED. */
static inline int lengths_refuse(const struct capacity_lengths *l)
{
	return l->rejected_share > CAPACITY_MOST_REJECTED;
}
