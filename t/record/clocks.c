/* Ranks in lockstep share a clock and their steps; replicas do not. */
#include "record/clocks.h"
#include "logged.h"

int main(void)
{
	const struct engine apart = {
	    .replicas = 4, .ranks = 1, .lockstep_ranks = 1};
	const struct engine ranks = {
	    .replicas = 4, .ranks = 2, .lockstep_ranks = 2};
	ok(clock_of_replica(&apart, 3) == 3, "a replica has its own clock");
	ok(clock_of_replica(&ranks, 1) == 0 &&
	       clock_of_replica(&ranks, 2) == 2 &&
	       clock_of_replica(&ranks, 3) == 2,
	   "ranks have that of the first of them");
	const struct made m[] = {
	    {.replica = 0, .end_us = 9, .part = {{1, 5, 1, 0}}},
	    {.replica = 1, .end_us = 9, .part = {{2, 5, 1, 0}}},
	    {.replica = 0, .start_us = 9, .end_us = 20, .part = {{1, 6, 1, 0}}},
	    {.replica = 2, .start_us = 9, .end_us = 20, .part = {{3, 5, 1, 0}}},
	};
	struct steplog l = LOGGED(m);
	size_t at = 0;
	struct logged_step s[4];
	for (int i = 0; i < 4; i++)
		steplog_next_step(&l, &at, &s[i]);
	ok(clock_is_same_step(&ranks, &s[0], &s[1]), "two ranks in one step");
	ok(!clock_is_same_step(&apart, &s[0], &s[1]), "two replicas are not");
	ok(!clock_is_same_step(&ranks, &s[0], &s[2]), "nor is the next step");
	ok(!clock_is_same_step(&ranks, &s[2], &s[3]), "nor another group");
	size_t first = clock_step_end(&ranks, &l, 0), second = first;
	second = clock_step_end(&ranks, &l, first);
	ok(first == l.bytes / 2, "two entries are the first step");
	ok(second == 3 * l.bytes / 4, "one is the second");
	ok(clock_step_end(&apart, &l, 0) == l.bytes / 4, "each entry, apart");
	ok(clock_step_end(&ranks, &l, second) == l.bytes &&
	       clock_step_end(&ranks, &l, l.bytes) == l.bytes,
	   "up to the end");
	steplog_unmap(&l);
	return done();
}
