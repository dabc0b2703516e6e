/* production-stack's router: chunks, the fewest recent requests, and what it
 * never forgets. */
#include "routed.h"

static void follows(void)
{
	rules(ROUTE_PREFIXAWARE);
	start(3);
	ok(send(IDS(1, 2), 0) == 0, "nothing matches: any, here the first");
	routed->load[0] = 1000;
	ok(send(IDS(1, 3), 0) == 0,
	   "where its first chunk went, whatever load");
	ok(send(IDS(4), 0) == 0, "the first of all");
	ok(send(IDS(1, 2), (int64_t)1e15) == 0, "and never forgets");
}

static void least(void)
{
	rules(ROUTE_PREFIXAWARE);
	routed_engine.router.prefix_min_match_length = 200;
	start(2);
	ok(send(IDS(1, 2, 3), 0) == 0, "no match: one that never got any");
	ok(send(IDS(1, 4), 0) == 1, "128 characters are too few");
	ok(send(IDS(1, 2, 5), 0) == 0, "256 are enough");
	ok(send(IDS(7), 0) == 1, "else who got the fewest");
	ok(send(IDS(8), 60000000000) == 0, "of the last minute");
}

/* The last chunk is short, and counts as a whole one where it is the same. */
static void tail(void)
{
	rules(ROUTE_PREFIXAWARE);
	routed_engine.router.prefix_min_match_length = 256;
	start(2);
	ok(send_cut(IDS(1, 2), 12, 0) == 0, "160 characters and a bit");
	ok(send_cut(IDS(1, 2), 12, 0) == 0, "the same once more");
	ok(send_cut(IDS(1, 2), 11, 0) == 1, "another end is another chunk");
}

/* 100 characters a token: the second chunk ends in the third token. */
static void long_tokens(void)
{
	rules(ROUTE_PREFIXAWARE);
	routed_engine.router.chars_per_token = 100;
	routed_engine.router.prefix_min_match_length = 128;
	start(2);
	ok(send_cut(IDS(1), 29, 0) == 0, "three tokens");
	ok(send_cut(IDS(1), 30, 0) == 0, "share the first chunk with two");
	ok(send_cut(IDS(1), 31, 0) == 1, "and not with one");
}

int main(void)
{
	follows();
	least();
	tail();
	long_tokens();
	route_free(routed);
	return done();
}
