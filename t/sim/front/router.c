/* Which replica a request goes to, by each rule. */
#include "sim/front/router.h"
#include "tap.h"

enum { N = 5 };
static struct router router;

static void start(enum routing routing)
{
	const struct engine e = {
	    .replicas = N, .ranks = 1, .routing = routing, .seed = 42};
	router_free(&router);
	if (router_init(&router, &e))
		bail_out("out of memory");
}

static void load(const uint64_t outstanding[N])
{
	for (int i = 0; i < N; i++)
		router.outstanding[i] = outstanding[i];
}

static void round_robin(void)
{
	int wrong = 0;
	start(ROUTE_ROUND_ROBIN);
	for (uint32_t i = 0; i < 7; i++)
		wrong += router_choose(&router, 0, 0, 2) != i % 2;
	ok(!wrong, "one after another");
	for (uint32_t i = 0; i < 7; i++)
		wrong += router_choose(&router, 1, 2, 3) != 2 + i % 3;
	ok(!wrong, "each pool with a turn of its own");
}

static void least_outstanding(void)
{
	start(ROUTE_LEAST_OUTSTANDING);
	load((const uint64_t[N]){3, 2, 1, 1, 0});
	ok(router_choose(&router, 0, 0, N) == 4, "the fewest");
	ok(router_choose(&router, 0, 0, 4) == 2, "the first of equals");
	ok(router_choose(&router, 0, 1, 1) == 1, "a pool of one has no choice");
}

static void power_of_two(void)
{
	uint32_t first[100], n[N] = {0};
	int same = 1;
	start(ROUTE_POWER_OF_TWO);
	load((const uint64_t[N]){0, 9, 9, 9, 9});
	for (int i = 0; i < 100; i++)
		n[first[i] = router_choose(&router, 0, 0, N)]++;
	ok(n[0] > 20 && n[0] < 60, "the better of two, when it is drawn: %u",
	   n[0]);
	ok(n[1] && n[2] && n[3] && n[4], "and each of the others now and then");
	start(ROUTE_POWER_OF_TWO);
	load((const uint64_t[N]){0, 9, 9, 9, 9});
	for (int i = 0; i < 100; i++)
		same &= first[i] == router_choose(&router, 0, 0, N);
	ok(same, "the same seed draws the same");
	n[0] = n[4] = 0;
	load((const uint64_t[N]){0, 9, 9, 9, 8});
	for (int i = 0; i < 100; i++)
		n[router_choose(&router, 1, 3, 2)]++;
	ok(n[4] == 100, "of two it is always the better");
}

static void prefix_affinity(void)
{
	start(ROUTE_PREFIX_AFFINITY);
	router.found[1] = 10;
	router.found[3] = 10;
	ok(router_choose(&router, 0, 0, N) == 1, "most blocks of the prompt");
	router.outstanding[1] = 1;
	ok(router_choose(&router, 0, 0, N) == 3, "of equals the less busy");
	router.outstanding[3] = 8;
	router.outstanding[1] = 9;
	ok(router_choose(&router, 0, 0, N) == 3,
	   "8 more than none is not too busy");
	router.outstanding[3] = 9;
	ok(router_choose(&router, 0, 0, N) == 0, "9 more is");
	load((const uint64_t[N]){2, 12, 2, 13, 2});
	ok(router_choose(&router, 0, 0, N) == 1,
	   "12 is twice the fewest and 8 more");
}

int main(void)
{
	round_robin();
	least_outstanding();
	power_of_two();
	prefix_affinity();
	router_free(&router);
	return done();
}
