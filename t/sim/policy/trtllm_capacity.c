/* Which requests fit in memory under TensorRT-LLM's two policies. */
#include "sim/policy/trtllm_capacity.h"
#include "one_scheduler.h"
#include "sim/policy/trtllm.h"

static struct engine trtllm_engine(void)
{
	struct engine e = small_engine();
	e.preset = PRESET_TENSORRT_LLM;
	e.scheduler = SCHEDULER_TENSORRT_LLM;
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

/* A prompt in the middle of its chunks is paused as well. */
static void pausing_prompts(void)
{
	engine = trtllm_engine();
	engine.num_gpu_blocks = 32;
	engine.trtllm.capacity = CAPACITY_MAX_UTILIZATION;
	engine.trtllm.has_chunks = 1;
	start(&policy_trtllm);
	come(8, 8, 0);
	come(120, 1, 0);
	is(form(), " p1@0+92 p0@0+8!",
	   "a chunk comes before a prompt that it completes");
	results();
	is(form(), " d0@8 graph preempted", "for a decode a prompt gives way");
	ok(pool.item[1].preemptions == 1, "which has to begin again");
}

/* Two prompts that share 20 tokens: 16 of them fill blocks of 4. */
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

/* What the policies ask about requests. */
static void asked(void)
{
	engine = trtllm_engine();
	start(&policy_trtllm);
	struct trtllm *t = (struct trtllm *)(uintptr_t)s;
	come(30, 5, 0);
	come(10, 5, 0);
	ok(trtllm_is_before(t, 0, 1) && !trtllm_is_before(t, 1, 0),
	   "requests are in order of arrival");
	ok(trtllm_rest_of(t, 0) == 30, "all of a prompt is left");
	ok(trtllm_blocks_to_the_end(t, &pool.item[0]) == 9,
	   "35 tokens take 9 blocks of 4");
	ok(!trtllm_is_started(&pool.item[0]) &&
	       !trtllm_generates(&pool.item[0]) && trtllm_has_place(t),
	   "it has no blocks yet, and there is a place");
	ok(trtllm_take_waiting(t) == 0 && t->n_fresh == 1,
	   "the first one is looked at");
}

int main(void)
{
	guaranteed();
	utilization();
	pausing_prompts();
	waiting_for_blocks();
	asked();
	stop();
	return done();
}
