/* Which requests fit in memory under TensorRT-LLM's policies. */
#include "sim/policy/trtllm/trtllm_capacity.h"
#include "sim/policy/trtllm/trtllm_blocks.h"
#include "one_scheduler.h"
#include "sim/policy/trtllm/trtllm.h"

static struct engine trtllm_engine(void)
{
	struct engine e = small_engine();
	e.preset = PRESET_TENSORRT_LLM;
	e.scheduler = SCHEDULER_TENSORRT_LLM;
	e.lockstep_ranks = 1;
	e.trtllm.finds_parts = 1;
	return e;
}

/* 10 blocks of 4 tokens. */
static void guaranteed(void)
{
	engine = trtllm_engine();
	engine.num_gpu_blocks = 10;
	start(&policy_trtllm);
	come(8, 12, 0);
	come(16, 8, 0);
	come(4, 4, 0);
	is(form(), " p0@0+8!", "5 blocks to its end; 6 do not fit");
	ok(s->policy->running(s) == 1, "and nobody overtakes");
	for (int i = 0; i < 11; i++) {
		results();
		form();
	}
	ok(results()->n_last == 1, "it ends, and was never paused");
	is(form(), " p1@0+16! p2@0+4!", "the others");
	ok(s->preemptions == 0, "nobody is");
}

/* Two requests need 4 blocks each; 2 of these are the same.  A block is left
 * for one of two more. */
static void sharing(void)
{
	for (int cuts = 0; cuts < 2; cuts++) {
		engine = trtllm_engine();
		engine.num_gpu_blocks = 7;
		engine.prefix_caching = 1;
		engine.trtllm.has_chunks = (uint32_t)cuts;
		engine.trtllm.chunk_unit = 4;
		start(&policy_trtllm);
		come_sharing(8, 8, 0, 8);
		is(form(), " p0@0+8!", "the first one");
		results();
		come_sharing(9, 7, 0, 8);
		is(form(), " d0@8 p1@8+1!", "the second one shares its prompt");
		results();
		come(1, 2, 0);
		come(1, 2, 0);
		is(form(), " d0@9 d1@9 p2@0+1!",
		   "7 blocks are enough for three, and no more");
	}
}

static void static_batch(void)
{
	engine = trtllm_engine();
	engine.prefix_caching = 1;
	engine.trtllm.capacity = CAPACITY_STATIC_BATCH;
	start(&policy_trtllm);
	come_sharing(12, 3, 0, 8);
	come_sharing(12, 2, 0, 8);
	is(form(), " p0@0+12! p1@0+12!", "nobody waits for a block");
	results();
	come(3, 1, 0);
	is(form(), " d0@12 d1@12 graph", "no prompt while requests decode");
	results();
	is(form(), " d0@13 graph", "until the last one");
	results();
	is(form(), " p2@0+3!", "has ended");
}

static void utilization(void)
{
	engine = trtllm_engine();
	engine.num_gpu_blocks = 5;
	engine.trtllm.capacity = CAPACITY_MAX_UTILIZATION;
	start(&policy_trtllm);
	come(8, 8, 0);
	come(8, 8, 0);
	is(form(), " p0@0+8! p1@0+8!", "blocks for the next step only");
	results();
	is(form(), " d0@8 graph preempted",
	   "for one that does not fit, the last with blocks is paused: itself");
	ok(pool.item[1].preemptions == 1, "which has to begin again");
}

/* 5 blocks; the second token of request 2 is in flight when 0 needs one. */
static void ending(void)
{
	engine = trtllm_engine();
	engine.num_gpu_blocks = 5;
	engine.async_scheduling = 1;
	engine.trtllm.capacity = CAPACITY_MAX_UTILIZATION;
	start(&policy_trtllm);
	come(3, 6, 0);
	come(4, 5, 0);
	come(4, 2, 0);
	is(form(), " p0@0+3! p1@0+4! p2@0+4!", "three prompts");
	is(form(), " d0@3 d1@4 d2@4 graph", "5 blocks");
	results();
	is(form(), " d0@4 d1@5 graph preempted",
	   "the one that is ending gives up its blocks");
	ok(results()->n_last == 1 && pool.item[2].preemptions == 1,
	   "it gets its token, and is over");
	is(form(), " d0@5 d1@6 graph", "it is in no queue any more");
}

/* A new prompt that makes another request pause finds its next block in the
 * list. */
static void passed_over(void)
{
	engine = trtllm_engine();
	engine.num_gpu_blocks = 3;
	engine.prefix_caching = 1;
	engine.trtllm.capacity = CAPACITY_MAX_UTILIZATION;
	start(&policy_trtllm);
	come(8, 4, 0);
	come(8, 4, 0);
	pool.item[0].order = 9; /* it comes behind the other one */
	scheduler_begin_step(s);
	queue_remove(&s->waiting, &pool, 1);
	is(form(), " p0@0+8!", "one alone");
	results();
	scheduler_push(s, &s->waiting, 1);
	is(form(), "preempted", "is paused for a prompt that does not run");
	is(form(), " p1@0+8!", "in this call");
}

/* A prompt in the middle of its chunks is paused as well. */
static void pausing_prompts(void)
{
	engine = trtllm_engine();
	engine.num_gpu_blocks = 32;
	engine.trtllm.capacity = CAPACITY_MAX_UTILIZATION;
	engine.trtllm.has_chunks = 1;
	engine.trtllm.chunk_unit = 4;
	start(&policy_trtllm);
	come(8, 8, 0);
	come(120, 1, 0);
	is(form(), " p1@0+92 p0@0+8!",
	   "a chunk comes before a prompt that it completes");
	results();
	is(form(), " d0@8 graph preempted", "for a decode a prompt gives way");
	ok(pool.item[1].preemptions == 1, "which has to begin again");
}

/* Two prompts that share 20 tokens: 16 of them are whole blocks of 4 that are
 * stored when the step is over. */
static void waiting_for_blocks(void)
{
	engine = trtllm_engine();
	engine.prefix_caching = 1;
	start(&policy_trtllm);
	come_sharing(30, 2, 0, 20);
	come_sharing(30, 2, 0, 20);
	come(10, 2, 0);
	is(form(), " p0@0+30! p2@0+10!",
	   "what another one computes is not computed twice");
	results();
	is(form(), " d0@30 d2@10 p1@20+10!", "then it is found");
	ok(batches[1].member[0].sequence == 1,
	   "prompts come before decodes in a step");
}

/* The same block behind different prefixes is waited for, too. */
static void keys_alone(void)
{
	const struct segment x[] = {{1, 4}, {3, 4}}, y[] = {{2, 4}, {3, 4}};
	engine = trtllm_engine();
	engine.prefix_caching = 1;
	start(&policy_trtllm);
	come_with(5, 1, 0, x, 1);
	come_with(5, 1, 0, y, 1);
	form();
	results();
	come_with(9, 1, 0, x, 2);
	come_with(9, 1, 0, y, 2);
	is(form(), " p2@4+5!", "one of them computes it");
	results();
	is(form(), " p3@4+5!", "the other one has waited in vain");
}

static void asked(void)
{
	engine = trtllm_engine();
	start(&policy_trtllm);
	struct trtllm *t = (struct trtllm *)(uintptr_t)s;
	come(30, 5, 0);
	come(10, 5, 0);
	ok(trtllm_is_before(t, 0, 1) && !trtllm_is_before(t, 1, 0),
	   "requests are in order of arrival");
	ok(trtllm_blocks_at_end(t, &pool.item[0]) == 9,
	   "35 tokens take 9 blocks of 4");
	ok(!trtllm_is_started(&pool.item[0]) &&
	       !trtllm_generates(&pool.item[0]),
	   "it has no blocks yet");
	trtllm_choose_fitting(t);
	ok(t->n_fit == 2 && t->n_fresh == 2 && t->fit[1].sequence == 1,
	   "both fit, and were looked at");
}

int main(void)
{
	guaranteed();
	sharing();
	static_batch();
	utilization();
	ending();
	passed_over();
	pausing_prompts();
	waiting_for_blocks();
	keys_alone();
	asked();
	stop();
	return done();
}
