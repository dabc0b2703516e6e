/* Who gives up pages for decodes under TensorRT-LLM's second KV cache manager.
 */
#include "sim/policy/trtllm/trtllm_v2.h"
#include "v2_engine.h"

/* Three requests with 2 of 6 places each; each next token needs a third. */
static void three(void)
{
	start_v2(6, 100, 0);
	for (int i = 0; i < 3; i++)
		come(8, 4, 0);
	is(form(), " p0@0+8! p1@0+8! p2@0+8!", "three prompts fill the GPU");
	results();
}

static void suspending(void)
{
	three();
	is(form(), " d0@8 d1@8 graph preempted",
	   "the last one is suspended for the others");
	ok(pool.item[2].preemptions == 1 && s->policy->running(s) == 3,
	   "it keeps its cache");
	ok(s->kv.pool.used == 6, "all places are locked");
	const char *const step[] = {" d0@9 d1@9 graph", " d0@10 d1@10 graph",
				    " d2@8 graph"};
	for (int i = 0; i < 3; i++) {
		results();
		is(form(), step[i],
		   i < 2 ? "they go on" : "it comes back, with its tokens");
	}
	ok(pool.item[2].preemptions == 1, "and was suspended once");
}

/* Three requests with a place each; each next token needs another one. */
static void closing(void)
{
	start_v2(3, 100, 0);
	for (int i = 0; i < 3; i++)
		come(4, 4, 0);
	form();
	results();
	is(form(), " d0@4 graph preempted", "there is a place for one");
	ok(!pool.item[2].kv.tiers.is_open && s->waiting.n == 1,
	   "the last request gives up its pages for the second one");
	ok(pool.item[1].kv.tiers.is_open && !pool.item[1].kv.tiers.is_active,
	   "that is in vain, and it is suspended itself");
	ok(s->n_preempted == 2, "two pauses");
	results();
	is(form(), " d0@5 graph", "it comes back, in vain: that is none");
	results();
	form();
	results();
	is(form(), " d1@4 graph", "it goes on; there is no room for two");
}

static void one_token_each(void)
{
	start_v2(50, 100, 0);
	engine.max_num_batched_tokens = 2;
	engine.trtllm.has_chunks = 1;
	engine.trtllm.chunk_unit = 1;
	start(&policy_trtllm_v2);
	for (int i = 0; i < 3; i++) {
		come(1, 9, 0);
		form();
		results();
	}
	is(form(), " d0@3 d1@2 graph", "decodes come first, until N tokens");
}

int main(void)
{
	suspending();
	closing();
	one_token_each();
	stop();
	return done();
}
