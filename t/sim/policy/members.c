/* The members of steps one batch ahead. */
#include "sim/policy/members.h"
#include "sim/policy/trtllm/trtllm.h"
#include "one_scheduler.h"

static struct batches_ahead m;
static sc_step step;

static struct progress *progress_of(uint32_t i)
{
	return &pool.item[i].progress;
}

/* A prompt of 20 tokens in two steps, and the decode behind it. */
static void ahead_of_results(void)
{
	engine = small_engine();
	start(&policy_trtllm);
	come(20, 2, 0);
	m = (struct batches_ahead){0};
	members_begin(&m, &batches[0]);
	ok(!members_show(&m, s, &step), "nobody: no step");
	members_add(&m, s, 0, 12, 1);
	ok(members_show(&m, s, &step) && step.n_prefill == 1 &&
	       step.prefill_new[0] == 12 && step.prefill_last[0] == 0 &&
	       step.n_sampled == 0 && step.flags == 0,
	   "a chunk makes no token, and no graph has prompts");
	members_commit(&m, s);
	ok(progress_of(0)->computed == 12 && progress_of(0)->is_chunk,
	   "it is under way");
	members_begin(&m, &batches[1]);
	members_add(&m, s, 0, 8, 1);
	members_show(&m, s, &step);
	ok(step.prefill_ctx[0] == 12 && step.prefill_last[0] == 1 &&
	       step.n_sampled == 1,
	   "the last chunk makes one");
	members_commit(&m, s);
	ok(progress_of(0)->in_flight == 20 && progress_of(0)->placeholders == 1,
	   "it is to come");
	members_process(&m, &batches[0], 1000);
	ok(!members_count(&batches[0], s, &batches[0].member[0], 1000) &&
	       progress_of(0)->in_flight == 8 && progress_of(0)->known == 20,
	   "a chunk is over");
	members_begin(&m, &batches[0]);
	members_add(&m, s, 0, 1, 0);
	members_show(&m, s, &step);
	ok(step.n_decode == 1 && step.decode_ctx[0] == 20 &&
	       step.flags == SC_STEP_GRAPH,
	   "a decode on top of a token to come, from a graph");
	members_commit(&m, s);
}

static void leaving(void)
{
	members_process(&m, &batches[1], 2000);
	ok(!members_count(&batches[1], s, &batches[1].member[0], 2000) &&
	       progress_of(0)->known == 21 && batches[1].n_first == 1,
	   "the first token");
	members_process(&m, &batches[0], 3000);
	ok(members_count(&batches[0], s, &batches[0].member[0], 3000) &&
	       batches[0].n_last == 1 && pool.item[0].generated == 2,
	   "the last one");
	members_begin(&m, &batches[1]);
	members_add(&m, s, 0, 1, 0);
	ok(!batches[1].member[0].makes_token,
	   "one more step makes nothing of it");
	members_commit(&m, s);
	ok(members_forget(&m, s, 0) &&
	       batches[1].member[0].sequence == NO_SEQUENCE &&
	       progress_of(0)->in_flight == 0,
	   "who is over is struck off the newest step");
	ok(!members_forget(&m, s, 0), "once");
}

static void put_back(void)
{
	members_put_back(s, 0);
	ok(progress_of(0)->computed == 0 && progress_of(0)->is_preempted &&
	       pool.item[0].preemptions == 1 && s->preemptions == 1,
	   "what was computed is lost, what was made is kept");
	struct sequence a = {.order = 1}, b = {.order = 2};
	ok(members_by_order(&a, &b) && !members_by_order(&b, &a),
	   "first come, first served");
}

int main(void)
{
	ahead_of_results();
	leaving();
	put_back();
	stop();
	return done();
}
