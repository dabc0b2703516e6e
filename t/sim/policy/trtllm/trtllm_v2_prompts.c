/* Which prompts are in a step under TensorRT-LLM's second KV cache manager. */
#include "sim/policy/trtllm/trtllm_v2.h"
#include "v2_engine.h"

static void whole(void)
{
	start_v2(10, 20, 0);
	come(12, 2, 0);
	come(12, 2, 0);
	come(4, 2, 0);
	is(form(), " p0@0+12!", "one does not fit whole: the search ends");
	results();
	start_v2(5, 60, 0);
	come(12, 2, 0);
	come(12, 2, 0);
	come(4, 2, 0);
	is(form(), " p0@0+12! p2@0+4!",
	   "pages are short: the next one is tried");
	ok(s->waiting.n == 1 && s->policy->running(s) == 2, "it waits");
}

static void cut(void)
{
	start_v2(20, 10, 1);
	come(9, 2, 0);
	come(13, 2, 0);
	is(form(), " p0@0+9!", "a token is left, less than a block");
	results();
	is(form(), " d0@9 p1@0+8", "whole blocks");
	results();
	is(form(), " p1@8+5!", "and the rest");
}

static void same_block(void)
{
	for (int cuts = 0; cuts < 2; cuts++) {
		start_v2(20, 40, (uint32_t)cuts);
		come_sharing(9, 4, 0, 8);
		come_sharing(9, 4, 0, 8);
		come(4, 4, 0);
		is(form(), " p0@0+9! p2@0+4!",
		   "one waits for the block that the first computes");
		results();
		is(form(), " d0@9 d2@4 p1@8+1!", "and finds it");
		results();
	}
}

static void closed_again(void)
{
	start_v2(4, 60, 1);
	come(8, 2, 0);
	form();
	results();
	come(12, 2, 0);
	is(form(), " d0@8 graph", "there is no room for its prompt");
	ok(!pool.item[1].kv.tiers.is_open && pool.item[1].kv.covered == 0,
	   "it keeps nothing");
	ok(s->kv.pool.used == 3, "nor any place");
}

int main(void)
{
	whole();
	cut();
	same_block();
	closed_again();
	stop();
	return done();
}
