/* SGLang's router: balance, owners, and what its tree forgets. */
#include "routed.h"

static void choice(void)
{
	rules(ROUTE_CACHE_AWARE);
	start(3);
	ok(send(IDS(1, 2, 3), 0) == 0, "a new prompt goes to the first");
	routed->load[0] = 2;
	ok(send(IDS(1, 2, 4), 0) == 0,
	   "one that agrees in 2 of 3 to its owner");
	ok(send(IDS(1, 5, 6, 7), 0) == 1, "in 1 of 4 to the least loaded");
	ok(send(IDS(1), 0) == 0, "the first to enter a stretch owns it");
	routed->load[0] = 65;
	ok(send(IDS(1, 2, 3), 0) == 1, "not if loads are far apart");
	routed->load[1] = routed->load[2] = 1;
	ok(send(IDS(1, 2, 3), 0) == 0, "64 more is not far");
	routed->load[1] = routed->load[2] = 44;
	routed->load[0] = 66;
	routed_engine.router.balance_abs_threshold = 10;
	ok(send(IDS(1, 2, 3), 0) == 0, "nor is 1.5 times");
	routed->load[0] = 67;
	ok(send(IDS(1, 2, 3), 0) == 1, "more than that is");
}

/* Prompt i of two segments; all differ at once. */
static uint32_t go(uint64_t i, int64_t now_ns)
{
	return send(IDS(100 + i, 200 + i), now_ns);
}

static void eviction(void)
{
	rules(ROUTE_CACHE_AWARE);
	routed_engine.router.eviction_interval_ns = 1000;
	routed_engine.router.max_tree_size = 2 * 64 * 4;
	start(2);
	go(1, 0), go(2, 0), go(3, 0);
	routed->load[0] = 1; /* new prompts go to replica 1 */
	ok(go(1, 999) == 0 && go(2, 999) == 0, "before the time all is there");
	ok(go(3, 1000) == 1, "then one goes, the longest unused: 3");
	ok(go(1, 1001) == 0 && go(2, 1001) == 0, "the others are there");
	routed_engine.router.max_tree_size = 0;
	ok(go(2, 2000) == 1 && go(1, 2000) == 1, "without room all are gone");
}

static void owners(void)
{
	rules(ROUTE_CACHE_AWARE);
	routed_engine.router.eviction_interval_ns = 1000;
	routed_engine.router.max_tree_size = 1 << 20;
	start(2);
	ok(go(1, 0) == 0, "entered by the first");
	routed->load[0] = 100;
	ok(go(1, 1) == 1, "and by the other, because the first is busy");
	routed->load[0] = 1;
	ok(go(1, 2) == 0, "the first owns it");
	routed_engine.router.max_tree_size = 64 * 4;
	go(4, 3); /* to the other */
	routed->load[0] = 0, routed->load[1] = 1;
	go(5, 4); /* to the first, which then forgets prompt 1 */
	ok(go(1, 1000) == 0, "of none, to the least loaded");
}

int main(void)
{
	choice();
	eviction();
	owners();
	route_free(routed);
	return done();
}
