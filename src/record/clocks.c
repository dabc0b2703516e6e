/* clocks.c -- Finds the entries of a log that are one step. */
#include "record/clocks.h"
#include "engine/engine.h"

uint32_t clock_of_replica(const struct engine *e, uint32_t replica)
{
	return engine_of_replica(e, replica)->lockstep_ranks > 1
		   ? replica - engine_rank_of(e, replica)
		   : replica;
}

int clock_is_same_step(const struct engine *e, const struct logged_step *a,
		       const struct logged_step *b)
{
	return a->step.replica != b->step.replica &&
	       clock_of_replica(e, a->step.replica) ==
		   clock_of_replica(e, b->step.replica) &&
	       a->start_ns == b->start_ns && a->end_ns == b->end_ns;
}

size_t clock_step_end(const struct engine *e, const struct steplog *l,
		      size_t from)
{
	struct logged_step first, s;
	size_t next = from, end;
	if (!steplog_next_step(l, &next, &first))
		return from;
	do
		end = next;
	while (steplog_next_step(l, &next, &s) &&
	       clock_is_same_step(e, &first, &s));
	return end;
}
