/* The steps of one replica under TensorRT-LLM's second KV cache manager. */
#include "sim/policy/trtllm/trtllm_v2.h"
#include "v2_engine.h"

static void together(void)
{
	start_v2(50, 100, 0);
	is(form(), "", "nobody, no step");
	come(20, 4, 0);
	is(form(), " p0@0+20!", "a prompt, whole");
	results();
	come(90, 2, 0);
	come(10, 2, 0);
	is(form(), " d0@20 p1@0+90!", "beside a decode one that fits whole");
	results();
	is(form(), " d0@21 d1@90 p2@0+10!", "the next one in the next step");
	ok(s->policy->running(s) == 3, "three have a cache");
	results();
	is(form(), " d0@22 d2@10 graph", "the second one has ended");
	ok(results()->n_last == 2, "the others end");
	ok(s->policy->running(s) == 0 && s->kv.pool.used == 0,
	   "nobody has one");
}

static void overlapped(void)
{
	start_v2(50, 100, 0);
	engine.async_scheduling = 1;
	start(&policy_trtllm_v2);
	come(20, 1, 0);
	is(form(), " p0@0+20!", "a prompt of one token");
	is(form(), "", "its last token is in flight: it is in no other step");
	ok(results()->n_last == 1, "it has ended");
	come_sharing(9, 1, 0, 8);
	form();
	come_sharing(12, 1, 0, 8);
	is(form(), " p2@8+4!", "a prompt is found as soon as it is launched");
}

static void waiting_for_more(void)
{
	start_v2(50, 8, 1);
	engine.trtllm.wait_steps = 1;
	engine.trtllm.wait_tokens = 8;
	start(&policy_trtllm_v2);
	come(4, 8, 0);
	form();
	results();
	come(3, 2, 0);
	is(form(), " d0@4 graph", "the prompt waits");
	ok(s->policy->running(s) == 2, "and keeps its cache");
	results();
	is(form(), " d0@5 p1@0+3!", "for one step");
}

static void leaving_early(void)
{
	start_v2(50, 100, 0);
	come(20, 4, 0);
	come(20, 4, 0);
	form();
	come(20, 4, 0);
	ok(s->policy->withdraw(s, 0) == 0 && s->policy->withdraw(s, 2) == 0,
	   "one that runs, and one that waits");
	ok(s->policy->running(s) == 1 && s->kv.pool.used == 5, "one is left");
	ok(s->policy->found(s, &pool.item[1]) == 19, "its prompt is known");
}

int main(void)
{
	together();
	overlapped();
	waiting_for_more();
	leaving_early();
	stop();
	return done();
}
