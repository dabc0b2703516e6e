/* What all policies have in common. */
#include "sim/scheduler.h"
#include "sim/policy/plain.h"
#include "sim/policy/vllm.h"
#include "one_scheduler.h"

static void any(const struct policy *policy)
{
	engine = small_engine();
	engine.num_gpu_blocks = 20;
	engine.free_list = FREE_LIST_UNKEYED_FIRST;
	start(policy);
	ok(s->kv.pool.capacity == 20 &&
	       s->kv.pool.order == BLOCKS_UNKEYED_FIRST,
	   "blocks as the engine has them");
	ok(!scheduler_is_unfinished(s), "nothing to do");
	come(10, 2, 0);
	ok(scheduler_is_unfinished(s) && s->waiting.n == 1, "one that waits");
	ok(pool.item[0].progress.known == 10 &&
	       pool.item[0].progress.most == 12,
	   "with nothing made yet");
	s->has_finished = 1;
	form();
	ok(s->n_admitted == 1 && s->admitted[0] == 0 && s->admissions == 1 &&
	       s->tokens == 10 && s->has_finished == 0,
	   "it is admitted");
	ok(scheduler_is_unfinished(s) && s->waiting.n == 0, "and runs");
}

static void told(const struct policy *policy)
{
	struct scheduled out[2];
	sc_step step = {.size = sizeof step};
	engine = small_engine();
	engine.max_num_batched_tokens = 12;
	start(policy);
	come(10, 2, 0);
	come(9, 1, 0);
	ok(policy->choose(s, &batches[0], &step) == 1 &&
	       policy->list(s, out) == 2,
	   "two in a step");
	ok(out[0].row == 0 && out[0].context == 0 && out[0].new_tokens == 10 &&
	       out[0].emitted == 1,
	   "a prompt that makes a token");
	ok(out[1].row == 1 && out[1].new_tokens == 2 && out[1].emitted == 0,
	   "a chunk that makes none");
}

int main(void)
{
	any(&policy_plain);
	any(&policy_vllm);
	told(&policy_plain);
	told(&policy_vllm);
	stop();
	return done();
}
