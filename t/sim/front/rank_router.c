/* Which rank a request goes to, and the published state of the ranks. */
#include "sim/front/rank_router.h"
#include "tap.h"

enum { N = 3, MS = 1000000 };
static struct rank_router router;

static void start(enum rank_routing routing, enum engine_preset preset)
{
	const struct engine e = {
	    .ranks = N, .rank_routing = routing, .preset = preset};
	rank_router_free(&router);
	if (rank_router_init(&router, &e))
		bail_out("out of memory");
}

static void tell(uint32_t rank, uint32_t waiting, uint32_t running,
		 int64_t now_ns)
{
	rank_router_tell(&router, rank, (struct rank_load){waiting, running},
			 now_ns);
}

static uint32_t pick(int64_t now_ns)
{
	return rank_router_choose(&router, now_ns);
}

static void round_robin(void)
{
	int wrong = 0;
	start(RANKS_ROUND_ROBIN, PRESET_VLLM_015);
	for (uint32_t i = 0; i < 7; i++)
		wrong += pick(0) != i % N;
	ok(!wrong, "one after another");
}

static void least(void)
{
	start(RANKS_VLLM, PRESET_VLLM_024);
	tell(0, 0, 5, 1 * MS);
	tell(1, 1, 0, 1 * MS);
	tell(2, 0, 6, 1 * MS);
	ok(pick(1 * MS) == 1, "one that waits is as four that run");
	ok(pick(1 * MS) == 0 && pick(1 * MS) == 2, "what was sent waits");
}

static void starts(void)
{
	start(RANKS_VLLM, PRESET_VLLM_024);
	tell(1, 0, 4, 0);
	ok(pick(0) == 0, "the first of equals");
	ok(pick(0) == 2, "from the next one on");
	start(RANKS_VLLM, PRESET_VLLM_015);
	ok(pick(0) == 0 && pick(0) == 1 && pick(0) == 2 && pick(0) == 0,
	   "0.15: always from the first");
}

static void publication(void)
{
	start(RANKS_VLLM, PRESET_VLLM_015);
	tell(0, 1, 0, 10 * MS);
	ok(pick(10 * MS) == 1, "the first change is known at once");
	tell(0, 0, 0, 20 * MS);
	tell(1, 9, 0, 30 * MS);
	tell(2, 9, 0, 30 * MS);
	ok(pick(109 * MS) == 2, "the next not before 100 ms");
	ok(pick(110 * MS) == 0, "then all that has changed");
	start(RANKS_VLLM, PRESET_VLLM_015);
	tell(0, 1, 0, 10 * MS);
	tell(0, 5, 0, 50 * MS);
	tell(0, 0, 0, 200 * MS);
	tell(1, 1, 0, 205 * MS);
	ok(router.known[0].waiting == 5, "nor what changed after that");
	ok(pick(209 * MS) == 1, "is known until 100 ms later");
	ok(pick(210 * MS) == 0, "but then it is");
}

int main(void)
{
	round_robin();
	least();
	starts();
	publication();
	rank_router_free(&router);
	return done();
}
