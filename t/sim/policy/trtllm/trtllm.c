/* The steps of one replica under TensorRT-LLM's rules, a schedule at a time. */
#include "sim/policy/trtllm/trtllm.h"
#include "one_scheduler.h"

static struct engine trtllm_engine(void)
{
	struct engine e = small_engine();
	e.preset = PRESET_TENSORRT_LLM;
	e.scheduler = SCHEDULER_TENSORRT_LLM;
	e.lockstep_ranks = 1;
	return e;
}

static void together(void)
{
	engine = trtllm_engine();
	start(&policy_trtllm);
	is(form(), "", "nobody, no step");
	come(20, 4, 0);
	is(form(), " p0@0+20!", "a prompt, whole");
	results();
	come(90, 1, 0);
	come(10, 1, 0);
	is(form(), " d0@20 p1@0+90!", "beside a decode one that fits whole");
	results();
	is(form(), " d0@21 p2@0+10!", "the next one in the next step");
}

/* Prompts wait while a request decodes, chunks under way, too. */
static void waiting_for_more(void)
{
	engine = trtllm_engine();
	engine.trtllm.has_chunks = 1;
	engine.trtllm.chunk_unit = 4;
	engine.max_num_batched_tokens = 8;
	engine.trtllm.wait_steps = 2;
	engine.trtllm.wait_tokens = 8;
	start(&policy_trtllm);
	come(4, 8, 0);
	is(form(), " p0@0+4!", "nobody decodes: no wait");
	results();
	come(12, 2, 0);
	const char *const step[] = {
	    " d0@4 graph", " d0@5 graph",  " d0@6 p1@0+4", " d0@7 graph",
	    " d0@8 graph", " d0@9 p1@4+4", " d0@10 graph"};
	for (int i = 0; i < 7; i++) {
		is(form(), step[i],
		   i < 3 ? "two steps without, one with it"
			 : "the next chunk waits, too");
		results();
	}
	is(form(), " p1@8+4!", "until nobody decodes");
}

static void overlapped(void)
{
	engine = trtllm_engine();
	engine.async_scheduling = 1;
	start(&policy_trtllm);
	come(20, 1, 0);
	is(form(), " p0@0+20!", "a prompt of one token");
	is(form(), "", "its last token is in flight: it is in no other step");
	ok(results()->n_last == 1, "it has ended");
	come(20, 2, 0);
	is(form(), " p1@0+20!", "the next one");
	is(form(), " d1@20 graph", "its last token");
	is(form(), "", "is in flight");
}

int main(void)
{
	together();
	waiting_for_more();
	overlapped();
	stop();
	return done();
}
