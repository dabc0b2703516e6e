/* The steps of one replica under a preset, a schedule at a time. */
#include "sim/policy/vllm/vllm.h"
#include "one_scheduler.h"

static const struct progress *progress_of(uint32_t i)
{
	return &pool.item[i].progress;
}

static void synchronous(void)
{
	engine = small_engine();
	start(&policy_vllm);
	is(form(), "", "nobody, no step");
	come(20, 3, 0);
	is(form(), " p0@0+20!", "a prompt, whole");
	ok(progress_of(0)->in_flight == 20 && s->kv.pool.used == 5,
	   "in flight, with 5 blocks");
	ok(results()->n_first == 1 && progress_of(0)->known == 21 &&
	       pool.item[0].first_token_ns == 1000,
	   "its first token");
	is(form(), " d0@20 graph", "a decode, small enough for a graph");
	ok(results()->n_on_time == 1, "on time");
	is(form(), " d0@21 graph", "and the last");
	const struct batch *b = results();
	ok(b->n_last == 1 && b->last[0] == 0 && s->kv.pool.used == 0 &&
	       s->policy->running(s) == 0,
	   "it leaves, and gives back its blocks");
}

static void one_batch_ahead(void)
{
	engine = small_engine();
	engine.async_scheduling = 1;
	start(&policy_vllm);
	come(20, 2, 0);
	is(form(), " p0@0+20!", "a prompt");
	is(form(), " d0@20 graph", "a decode behind it, of a token to come");
	ok(results()->n_last == 0, "the first comes");
	is(form(), "", "the last one is certain to come");
	ok(results()->n_last == 1 && s->kv.pool.used == 0, "it comes");
}

static void gate(void)
{
	engine = small_engine();
	engine.num_gpu_blocks = 10;
	engine.max_num_batched_tokens = 16;
	engine.reserves_whole_prompt = 1;
	start(&policy_vllm);
	come(16, 4, 0);
	come(30, 1, 0);
	is(form(), " p0@0+16!", "a prompt");
	results();
	is(form(), " d0@16 graph", "5 of 10 blocks: no room for 30 tokens");
	results();
	s->e = &(const struct engine){
	    .max_num_seqs = 8, .max_num_batched_tokens = 16, .block_size = 4};
	is(form(), " d0@17 p1@0+15", "without the gate for the first of them");
}

static void watermark(void)
{
	engine = small_engine();
	engine.num_gpu_blocks = 10;
	engine.watermark_blocks = 8;
	start(&policy_vllm);
	come(12, 3, 0);
	is(form(), " p0@0+12!", "alone it may have all");
	come(4, 1, 0);
	results();
	is(form(), " d0@12 graph", "beside another it leaves some free");
}

static void preempted(void)
{
	engine = small_engine();
	engine.num_gpu_blocks = 4;
	start(&policy_vllm);
	come(8, 9, 0);
	come(8, 9, 0);
	is(form(), " p0@0+8! p1@0+8!", "four blocks are full");
	results();
	is(form(), " d0@8 graph preempted", "the last one admitted goes");
	ok(s->preemptions == 1 && s->waiting.n == 1 && s->kv.pool.used == 3 &&
	       progress_of(1)->is_preempted && pool.item[1].generated == 1,
	   "it waits, with the token that it has");
	engine.policy = POLICY_PRIORITY;
	start(&policy_vllm);
	come(8, 9, 5);
	come(8, 9, 0);
	is(form(), " p1@0+8! p0@0+8!", "by priority: the lower number first");
	results();
	is(form(), " d1@8 graph preempted", "and the higher one goes");
}

/* A preempted request keeps its tokens in flight. */
static void preempted_in_flight(void)
{
	engine = small_engine();
	engine.async_scheduling = 1;
	engine.num_gpu_blocks = 4;
	start(&policy_vllm);
	come(8, 9, 0);
	come(8, 2, 0);
	is(form(), " p0@0+8! p1@0+8!", "four blocks are full");
	is(form(), " d0@8 graph preempted", "one goes");
	ok(progress_of(1)->placeholders == 1, "with a token in flight");
	ok(results()->n_first == 2 && progress_of(1)->known == 9,
	   "which comes");
}

static void windows(void)
{
	engine = small_engine();
	engine.max_num_batched_tokens = 8;
	engine.num_gpu_blocks = 100;
	engine.kv_groups = (struct kv_groups){
	    .n_kinds = 2,
	    .kind = {{.block_size = 4, .n_groups = 1},
		     {.window = 4, .block_size = 4, .n_groups = 1}},
	    .hit_unit = 4,
	    .key_unit = 4,
	};
	start(&policy_vllm);
	come(24, 2, 0);
	form(), results(), form();
	ok(s->kv.pool.used == 7, "4 blocks of all tokens, 3 of a window: %d",
	   (int)s->kv.pool.used);
}

static void found_again(void)
{
	engine = small_engine();
	engine.prefix_caching = 1;
	engine.num_gpu_blocks = 100;
	start(&policy_vllm);
	come_sharing(12, 1, 0, 12);
	come_sharing(12, 1, 0, 12);
	is(form(), " p0@0+12! p1@8+4!", "a common prompt");
	ok(s->queried_tokens == 24 && s->hit_tokens == 8 &&
	       pool.item[1].cached_tokens == 8,
	   "whole blocks, and not the last token");
}

int main(void)
{
	synchronous();
	one_batch_ahead();
	gate();
	watermark();
	preempted();
	preempted_in_flight();
	windows();
	found_again();
	stop();
	return done();
}
