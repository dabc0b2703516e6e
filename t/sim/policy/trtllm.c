/* The steps of one replica under TensorRT-LLM's rules, a schedule at a time. */
#include "sim/policy/trtllm.h"
#include "one_scheduler.h"

static struct engine trtllm_engine(void)
{
	struct engine e = small_engine();
	e.preset = PRESET_TENSORRT_LLM;
	e.scheduler = SCHEDULER_TENSORRT_LLM;
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

static void chunks(void)
{
	engine = trtllm_engine();
	engine.trtllm.has_chunks = 1;
	start(&policy_trtllm);
	come(150, 1, 0);
	come(10, 1, 0);
	is(form(), " p0@0+100", "as much as there is, whole blocks");
	results();
	is(form(), " p0@100+50! p1@0+10!", "both, since both fit");
	engine.trtllm.chunking = CHUNKS_EQUAL;
	start(&policy_trtllm);
	come(150, 1, 0);
	come(80, 1, 0);
	is(form(), " p0@0+52 p1@0+48", "block by block in turn");
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
	chunks();
	overlapped();
	stop();
	return done();
}
