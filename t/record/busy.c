/* When steps with prompts ran. */
#include "record/busy.h"
#include "logged.h"

int main(void)
{
	const struct engine e = {
	    .replicas = 2, .ranks = 1, .lockstep_ranks = 1};
	const struct made m[] = {
	    {.end_us = 10, .part = {{1, 0, 5, 1}}},
	    {.start_us = 10, .end_us = 15, .part = {{2, 0, 5, 1}}},
	    {.start_us = 20, .end_us = 30, .part = {{1, 5, 1, 0}}},
	    /* in a pipeline: begins before the end of the step before */
	    {.start_us = 25,
	     .end_us = 40,
	     .part = {{3, 0, 5, 1}, {2, 5, 1, 0}}},
	    {.start_us = 38, .end_us = 39, .part = {{4, 0, 5, 1}}},
	    {.replica = 1, .end_us = 7, .part = {{5, 0, 5, 1}}},
	};
	struct steplog l = LOGGED(m);
	struct busy b;
	if (busy_read(&b, &e, &l, &p) < 0)
		bail_out(p.text);
	const struct {
		uint32_t clock;
		int64_t from, to, want;
		const char *why;
	} is[] = {
	    {0, 0, 10, 10, "a whole step"},
	    {0, 3, 12, 9, "parts of two"},
	    {0, 15, 20, 0, "idle"},
	    {0, 20, 30, 0, "a step without prompts, also where one overlaps"},
	    {0, 25, 40, 10, "the later one counts from the end of the other"},
	    {0, 12, 33, 6, "several"},
	    {0, -5, 100, 25, "all"},
	    {0, 40, 100, 0, "after the last"},
	    {0, 12, 12, 0, "nothing"},
	    {0, 12, 5, 0, "the wrong way round"},
	    {1, 0, 100, 7, "the other clock"},
	};
	for (size_t i = 0; i < sizeof is / sizeof *is; i++)
		ok(busy_with_prompts(&b, is[i].clock, 1000 * is[i].from,
				     1000 * is[i].to) == 1000 * is[i].want,
		   "%s", is[i].why);
	busy_free(&b);
	steplog_unmap(&l);
	l = (struct steplog){0};
	ok(busy_read(&b, &e, &l, &p) == 0 &&
	       busy_with_prompts(&b, 1, 0, 100) == 0,
	   "no steps");
	busy_free(&b);
	return done();
}
