/* The share of a step's price that its prompts add. */
#include "record/decodes_alone.h"
#include "logged.h"

static struct prompt_share share_of(const struct engine *e,
				    const struct made *m, size_t n)
{
	struct prompt_share s;
	struct steplog l = logged(m, n);
	if (decodes_alone(&s, e, &cost, &l, 0, l.bytes, &p) < 0)
		bail_out(p.text);
	steplog_unmap(&l);
	return s;
}

static void one_rank(void)
{
	const struct engine e = {.replicas = 1,
				 .ranks = 1,
				 .lockstep_ranks = 1,
				 .graph_max_tokens = 4};
	const struct made mixed = {
	    .end_us = 114,
	    .part = {{1, 9, 1, 0}, {2, 9, 1, 0}, {3, 0, 100, 1}}};
	struct prompt_share s = share_of(&e, &mixed, 1);
	ok(s.price_ns == 114000 && s.added_ns == 102000,
	   "two decodes take 12 us from a graph; prompts add 102");
	ok(prompt_share_of(&s, 114000) == 102000, "the whole step");
	ok(prompt_share_of(&s, 1000) == 894, "a part, rounded down");
	ok(prompt_share_of(&s, INT64_C(4000000000000000000)) > 0,
	   "no overflow in 126 years");
	const struct engine none = {
	    .replicas = 1, .ranks = 1, .lockstep_ranks = 1};
	s = share_of(&none, &mixed, 1);
	ok(s.added_ns == 100000, "without graphs they take 14 us");
	const struct made drafts = {.end_us = 120,
				    .part = {{1, 9, 5, 0}, {3, 0, 100, 1}}};
	s = share_of(&e, &drafts, 1);
	ok(s.added_ns == 103000, "a decode of five tokens fits no graph");
	const struct made decodes = {.end_us = 50, .part = {{1, 9, 1, 0}}};
	const struct made prompts = {.end_us = 50, .part = {{1, 0, 9, 1}}};
	ok(share_of(&e, &decodes, 1).added_ns == 0, "no prompts");
	ok(share_of(&e, &prompts, 1).added_ns == 0, "no decodes");
	const struct made fast = {.end_us = 5,
				  .part = {{1, 9, 1, 0}, {3, 0, 1, 1}}};
	s = share_of(&e, &fast, 1);
	ok(s.added_ns == 0 && prompt_share_of(&s, 5000) == 0,
	   "decodes that take longer alone: nothing is added");
}

static void lockstep(void)
{
	const struct engine e = {.replicas = 3,
				 .ranks = 3,
				 .lockstep_ranks = 3,
				 .graph_max_tokens = 8};
	const struct made m[] = {
	    {.end_us = 113, .dp_tokens = 103, .part = {{1, 9, 1, 0}}},
	    {.replica = 1,
	     .end_us = 113,
	     .dp_tokens = 103,
	     .part = {{2, 0, 100, 1}, {3, 9, 1, 0}}},
	};
	struct prompt_share s = share_of(&e, m, 2);
	/* 10 us and 1 us for the token, and 3 ns for 3 tokens of the group:
	 * two decodes and the dummy of the third rank. */
	ok(s.price_ns == 113000 && s.added_ns == 113000 - 11003,
	   "another rank's prompts delay a rank, and the group is smaller");
}

int main(void)
{
	one_rank();
	lockstep();
	return done();
}
