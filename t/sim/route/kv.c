/* Dynamo's router: prompts to compute, blocks in use, and caches. */
#include "routed.h"

static void tell(uint32_t replica, uint32_t blocks, const uint64_t *id)
{
	struct content c = prompt(id);
	struct content_place at = {0};
	for (uint32_t i = 0; i < blocks; i++)
		kv_events_publish(&routed->events, replica,
				  content_go_on(c.segment, &at, 16), 1, 0);
	content_free(&c);
}

static void busy(void)
{
	rules(ROUTE_KV);
	routed_engine.router.use_kv_events = 1;
	start(3);
	ok(routed->has_events, "it listens");
	ok(send(IDS(1, 2), 0) == 0 && send(IDS(3, 4, 5), 0) == 1 &&
	       send(IDS(6), 0) == 2,
	   "each to an idle one");
	struct route_ticket third = last_ticket;
	ok(send(IDS(7), 0) == 2, "then the shortest prompts");
	struct route_ticket fourth = last_ticket;
	ok(third.prefill_tokens == 32 && fourth.prefill_tokens == 32,
	   "all to be computed");
	ok(send(IDS(8), 0) == 0, "4 tokens more is too many");
	routed->rule->first_token(routed, &third);
	routed->rule->first_token(routed, &fourth);
	ok(send(IDS(9), 0) == 2, "after first tokens only blocks count");
	routed->rule->over(routed, &third);
	routed->rule->over(routed, &fourth);
	ok(send(IDS(10), 0) == 2, "after the last nothing is left");
}

static void shared(void)
{
	rules(ROUTE_KV);
	routed_engine.router.use_kv_events = 1;
	routed_engine.router.prefill_load_scale = 0;
	start(2);
	ok(send(IDS(1, 2), 0) == 0, "four blocks");
	struct route_ticket a = last_ticket;
	ok(send(IDS(1, 2), 0) == 0, "the same again takes no more");
	struct route_ticket b = last_ticket;
	ok(send(IDS(1, 3), 0) == 1, "half of them new: 6 are more than 4");
	routed->rule->over(routed, &a);
	ok(send(IDS(1, 2), 0) == 0, "still held by one");
	struct route_ticket c = last_ticket;
	routed->rule->over(routed, &b);
	routed->rule->over(routed, &c);
	ok(send(IDS(1, 3, 4, 5, 6), 0) == 0, "then by none: 10 against 10");
}

static void caches(void)
{
	rules(ROUTE_KV);
	routed_engine.router.use_kv_events = 1;
	start(2);
	tell(1, 3, IDS(1, 2));
	ok(send(IDS(1, 2), 0) == 1, "three blocks less to compute");
	ok(last_ticket.prefill_tokens == 16, "one is left");
	routed_engine.router.overlap_score_credit = 0;
	ok(send(IDS(1, 2), 0) == 0, "that count for nothing");
}

static void memory(void)
{
	rules(ROUTE_KV);
	routed_engine.router.ttl_ns = 100;
	start(2);
	ok(!routed->has_events, "it does not listen");
	send(IDS(1, 2), 0);
	routed->rule->over(routed, &last_ticket);
	send(IDS(3, 4), 50);
	struct route_ticket busy_one = last_ticket;
	ok(busy_one.replica == 0, "idle again");
	ok(send(IDS(1, 2), 99) == 1, "two prompts are too many for a cache");
	routed->rule->over(routed, &busy_one);
	routed->rule->over(routed, &last_ticket);
	ok(send(IDS(3, 4), 149) == 0 && last_ticket.prefill_tokens == 0,
	   "remembered");
	routed->rule->over(routed, &last_ticket);
	ok(send(IDS(3, 4), 249) == 0 && last_ticket.prefill_tokens == 64,
	   "and forgotten");
}

static void temperature(void)
{
	int n[2] = {0};
	rules(ROUTE_KV);
	routed_engine.router.use_kv_events = 1;
	routed_engine.router.temperature = 1;
	start(2);
	send(IDS(1, 2, 3, 4), 0);
	uint32_t loaded = last_ticket.replica;
	for (int i = 0; i < 2000; i++) {
		n[send(IDS(5), 0) == loaded]++;
		routed->rule->over(routed, &last_ticket);
	}
	double share = n[1] / 2000., want = exp(-1) / (1 + exp(-1));
	ok(fabs(share - want) < 0.05, "1 / (1 + e) go to the dearer: %g",
	   share);
}

int main(void)
{
	busy();
	shared();
	caches();
	memory();
	temperature();
	route_free(routed);
	return done();
}
