/* The steps of one replica, a schedule at a time, without a preset. */
#include "sim/policy/ideal.h"
#include "one_scheduler.h"

static const struct batch *batch = &batches[0];

static const char *step(void)
{
	uint32_t before = n_formed;
	const char *text = form();
	if (n_formed > before)
		batch = results();
	return text;
}

static void a_life(void)
{
	engine = small_engine();
	start(&policy_ideal);
	is(step(), "", "nobody, no step");
	come(20, 3, 0);
	ok(s->waiting.n == 1 && s->policy->running(s) == 0, "one that waits");
	is(step(), " p0@0+20!", "a prompt, whole");
	ok(batch->n_first == 1 && batch->n_last == 0 && s->kv.pool.used == 5,
	   "its first token, 5 blocks");
	is(step(), " d0@20 graph", "a decode, small enough for a graph");
	ok(batch->n_on_time == 1 && s->kv.pool.used == 6,
	   "on time, a block more");
	is(step(), " d0@21 graph", "and the last");
	ok(batch->n_last == 1 && batch->last[0] == 0 && s->kv.pool.used == 0 &&
	       s->policy->running(s) == 0,
	   "it leaves, and gives back its blocks");
	is(step(), "", "nobody again");
}

static void budget(void)
{
	engine = small_engine();
	engine.max_num_batched_tokens = 10;
	start(&policy_ideal);
	come(4, 5, 0);
	is(step(), " p0@0+4! graph", "one");
	come(15, 2, 0);
	come(3, 1, 0);
	is(step(), " d0@4 p1@0+9 graph", "decodes first, prompts in chunks");
	is(step(), " d0@5 p1@9+6! p2@0+3! graph", "while the budget lasts");
	ok(batch->n_first == 2 && batch->n_last == 1,
	   "two first tokens, a last");
	engine.long_prefill_token_threshold = 2;
	come(5, 1, 0);
	is(step(), " d0@6 d1@15 p3@0+2 graph", "a chunk has a bound");
	engine = small_engine();
	engine.max_num_seqs = 2;
	start(&policy_ideal);
	for (int i = 0; i < 3; i++)
		come(4, 2, 0);
	is(step(), " p0@0+4! p1@0+4! graph", "no more sequences than allowed");
	is(step(), " d0@4 d1@4 graph", "the third waits");
	is(step(), " p2@0+4! graph", "until there is a place");
}

static void short_of_blocks(void)
{
	engine = small_engine();
	engine.num_gpu_blocks = 4;
	start(&policy_ideal);
	come(8, 9, 0);
	come(8, 9, 0);
	is(step(), " p0@0+8! p1@0+8!", "four blocks are full");
	is(step(), " d0@8 graph preempted", "the last one admitted goes");
	ok(s->preemptions == 1 && s->waiting.n == 1 && s->kv.pool.used == 3 &&
	       pool.item[1].preemptions == 1 && pool.item[1].is_late,
	   "it waits, with the token that it has");
	engine.policy = POLICY_PRIORITY;
	start(&policy_ideal);
	come(8, 9, 5);
	come(8, 9, 0);
	is(step(), " p1@0+8! p0@0+8!", "by priority: the lower number first");
	is(step(), " d1@8 graph preempted", "and the higher one goes");
	ok(pool.item[0].preemptions == 1, "though it had come first");
}

/* Random requests in little memory: each gets all its tokens. */
static void all_served(void)
{
	enum { N = 40 };
	uint64_t state = 7, left = 0;
	int n_ended = 0, n_steps = 0;
	engine = small_engine();
	engine.num_gpu_blocks = 20;
	engine.max_num_batched_tokens = 24;
	start(&policy_ideal);
	for (int i = 0; i < N; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		come(1 + (uint32_t)(state >> 40) % 50,
		     1 + (uint32_t)(state >> 50) % 20, 0);
		left += pool.item[i].request.output_tokens;
	}
	while (n_ended < N && n_steps++ < 5000) {
		step();
		left -= batch->n_first + batch->n_late + batch->n_on_time;
		n_ended += (int)batch->n_last;
	}
	ok(n_ended == N && left == 0 && s->kv.pool.used == 0 &&
	       s->preemptions > 0,
	   "%d requests in %d steps, %llu preemptions: every token, no block "
	   "left",
	   n_ended, n_steps, (unsigned long long)s->preemptions);
	ok(s->kv.pool.peak <= 20, "never more blocks than there are");
}

int main(void)
{
	a_life();
	budget();
	short_of_blocks();
	all_served();
	stop();
	return done();
}
