/* The steps of a replica that only generates, a schedule at a time. */
#include "sim/policy/receiver.h"
#include "one_scheduler.h"

/* A request with its KV cache: the last token of its prompt, or the token that
 * the prefill replica made, goes through the model first. */
static void arrive(uint32_t input, uint32_t output, uint32_t made)
{
	come(input, output, 0);
	struct sequence *q = &pool.item[pool.n - 1];
	q->loaded = input;
	q->generated = made;
	q->progress.known = input + made;
}

static struct engine decode_engine(void)
{
	struct engine e = small_engine();
	e.preset = PRESET_TENSORRT_LLM;
	e.scheduler = SCHEDULER_TENSORRT_LLM;
	return e;
}

static void one_by_one(void)
{
	engine = decode_engine();
	engine.prefix_caching = 1;
	start(&policy_receiver);
	is(form(), "", "nobody, no step");
	arrive(20, 2, 0);
	is(form(), " d0@19 graph", "the prompt's last token");
	ok(results()->n_first == 1, "makes the first one");
	arrive(30, 2, 1);
	is(form(), " d0@20 d1@30 graph", "or the next one");
	const struct batch *b = results();
	ok(b->n_last == 2 && s->policy->running(s) == 0, "both have ended");
	ok(s->kv.pool.used == 0 && s->kv.pool.peak == 6 + 8,
	   "and given their blocks back: %d at most", (int)s->kv.pool.peak);
	ok(s->kv.pool.n == 0, "which were only counted");
}

static void seats(void)
{
	engine = decode_engine();
	engine.max_num_seqs = 2;
	start(&policy_receiver);
	for (int i = 0; i < 3; i++)
		arrive(10, 1 + (uint32_t)i, 0);
	is(form(), " d0@9 d1@9 graph", "two seats");
	ok(s->waiting.n == 1, "the third waits");
	is(form(), " d1@10 graph", "the seat of one in flight is taken");
	results();
	results();
	is(form(), " d2@9 graph", "it begins when that has ended");
}

static void memory(void)
{
	engine = decode_engine();
	engine.num_gpu_blocks = 8;
	start(&policy_receiver);
	arrive(16, 3, 0);
	arrive(8, 8, 0);
	arrive(4, 1, 0);
	is(form(), " d0@15 graph",
	   "blocks to the end of both are too many, and none passes");
	results();
	is(form(), " d0@16 graph", "so they wait");
	results();
	is(form(), " d0@17 graph", "until it ends");
	results();
	is(form(), " d1@7 d2@3 graph", "and begin");
}

static void drafts(void)
{
	engine = decode_engine();
	engine.speculation =
	    (struct speculation){.drafts = 2, .rate = {1, 0}, .accept = {1, 0}};
	start(&policy_receiver);
	arrive(20, 5, 0);
	is(form(), " d0@19 graph", "with drafts");
	ok(s->tokens == 3 && s->columns.decode_new[0] == 3, "three tokens");
	is(form(), " d0@21 graph", "two were made, known in advance");
	is(form(), " d0@23 graph", "the last one, of two");
	is(form(), "", "no more");
}

int main(void)
{
	one_by_one();
	seats();
	memory();
	drafts();
	stop();
	return done();
}
