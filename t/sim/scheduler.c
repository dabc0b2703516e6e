/* What all policies have in common. */
#include "sim/scheduler.h"
#include "sim/policy/ideal.h"
#include "sim/policy/vllm/vllm.h"
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

/* An engine that dies without a free block: 2 of 4 tokens. */
static void dying(void)
{
	engine = small_engine();
	engine.num_gpu_blocks = 2;
	start(&policy_vllm);
	come(8, 2, 0);
	come(8, 2, 0);
	scheduler_cover(s, &pool.item[0], 5);
	ok(s->kv.pool.used == 2 && s->death == SCHEDULER_LIVES,
	   "there is enough");
	scheduler_cover(s, &pool.item[0], 8);
	ok(s->kv.pool.used == 2, "the same blocks have room for more");
	scheduler_cover(s, &pool.item[1], 1);
	ok(s->death == SCHEDULER_NO_BLOCK && s->death_row == 1,
	   "none is left, and the request is named");
	scheduler_dies(s, &pool.item[0], SCHEDULER_LONG_STEP);
	ok(s->death == SCHEDULER_NO_BLOCK && s->death_row == 1,
	   "the first reason counts");
}

int main(void)
{
	dying();
	any(&policy_ideal);
	any(&policy_vllm);
	told(&policy_ideal);
	told(&policy_vllm);
	stop();
	return done();
}
