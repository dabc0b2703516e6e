/* llm-d's scheduler: each scorer, the approximate index, and the pickers. */
#include "routed.h"

static void only(enum scorer scorer, uint32_t n)
{
	rules(ROUTE_ENDPOINT_PICKER);
	routed_engine.router.weight[scorer] = 1;
	start(n);
}

static void metrics(void)
{
	only(SCORE_QUEUE, 3);
	ok(send(IDS(1), 0) == 0, "all equal: the first");
	routed->seen[0].waiting = 2, routed->seen[1].waiting = 1;
	routed->seen[2].waiting = 3;
	ok(send(IDS(1), 0) == 1, "the shortest queue");
	only(SCORE_RUNNING, 3);
	routed->seen[0].running = 5, routed->seen[1].running = 6;
	ok(send(IDS(1), 0) == 2, "the fewest running");
	only(SCORE_KV_USE, 2);
	routed->seen[0].kv_use = 0.5, routed->seen[1].kv_use = 0.4;
	ok(send(IDS(1), 0) == 1, "the emptiest cache");
	only(SCORE_LOAD, 2);
	routed->seen[0].waiting = 200, routed->seen[1].waiting = 300;
	ok(send(IDS(1), 0) == 0, "queues beyond 128 are alike");
	routed->seen[1].waiting = 127;
	ok(send(IDS(1), 0) == 1, "shorter ones are not");
	only(SCORE_ACTIVE, 2);
	routed->load[0] = 3, routed->load[1] = 2;
	ok(send(IDS(1), 0) == 1, "its own count");
}

static void prefixes(void)
{
	only(SCORE_PREFIX, 3);
	routed_engine.router.weight[SCORE_ACTIVE] = 0.1;
	ok(send(IDS(1, 2), 0) == 0, "new");
	routed->load[0] = 1;
	ok(send(IDS(3, 4), 0) == 1, "another");
	ok(send(IDS(1, 5), 0) == 0, "where it begins alike");
	ok(send_cut(IDS(1), 17, 0) == 1,
	   "shorter than a block matches nothing");
	routed_engine.router.lru_blocks = 4;
	ok(send(IDS(6, 7), 0) == 1, "four blocks fill the index of a replica");
	ok(send(IDS(3, 4), 0) == 1, "so that another prompt is forgotten");
}

/* The first block of a prompt is the first to be forgotten; the walk goes on
 * over it if anyone has it. */
static void behind(void)
{
	only(SCORE_PREFIX, 2);
	routed_engine.router.lru_blocks = 3;
	ok(send(IDS(1, 2), 0) == 0, "of four blocks three are remembered");
	routed->load[0] = 9;
	routed_engine.router.weight[SCORE_ACTIVE] = 0.01;
	ok(send(IDS(1, 2), 0) == 1, "without the first nothing is found");
	routed_engine.router.lru_blocks = 9;
	send(IDS(1), 0); /* to the other, which has one block of it */
	ok(send(IDS(1, 2), 0) == 1, "and then it counts");
}

static void cold(void)
{
	only(SCORE_NO_HIT, 3);
	ok(send(IDS(1), 0) == 0 && send(IDS(2), 0) == 1 && send(IDS(3), 0) == 2,
	   "those that never got a cold one");
	ok(send(IDS(1), 0) == 0, "a prompt that is known: all alike");
	ok(send(IDS(4), 0) == 0 && send(IDS(5), 0) == 1,
	   "then the longest ago");
}

static void precise(void)
{
	only(SCORE_PRECISE, 3);
	struct content c = prompt(IDS(1, 2));
	struct content_place at = {0};
	kv_events_publish(&routed->events, 2, content_go_on(c.segment, &at, 16),
			  1, 0);
	content_free(&c);
	ok(routed->has_events, "it listens");
	ok(send(IDS(1, 2), 0) == 2, "what an engine has");
}

static void pickers(void)
{
	int n[2] = {0};
	only(SCORE_KV_USE, 2);
	routed_engine.router.picker = PICKER_WEIGHTED;
	routed->seen[0].kv_use = 0.25, routed->seen[1].kv_use = 0.75;
	for (int i = 0; i < 1000; i++)
		n[send(IDS(1), 0)]++;
	ok(n[0] > 690 && n[0] < 810, "as often as the score says: %d", n[0]);
	routed_engine.router.picker = PICKER_RANDOM;
	for (int i = 0; i < 1000; i++)
		n[send(IDS(1), 0)]++;
	ok(n[0] > 1160 && n[0] < 1340, "or all alike: %d", n[0]);
	routed_engine.router.picker = PICKER_WEIGHTED;
	routed->seen[0].kv_use = 1;
	for (int i = 0; i < 10; i++)
		n[1] += send(IDS(1), 0) == 0 ? 1000000 : 0;
	ok(n[1] < 1000000, "never one of score 0");
}

int main(void)
{
	metrics();
	prefixes();
	behind();
	cold();
	precise();
	pickers();
	route_free(routed);
	return done();
}
