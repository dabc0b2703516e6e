/* Requests that decode in every step, one batch ahead of their results. */
#include "sim/policy/decodes.h"
#include "sim/policy/members.h"
#include "sim/policy/trtllm/trtllm.h"
#include "one_scheduler.h"

static struct decodes d;
static struct batches_ahead m;
static struct scheduled listed[MOST];

static void begin(struct batch *b)
{
	members_begin(&m, b);
	decodes_run(&d, s, b);
}

static void commit(struct batch *b)
{
	members_commit(&m, s);
	decodes_commit(&d, s, b);
}

static void process(struct batch *b)
{
	uint32_t n = b->n_members;
	members_process(&m, b, 1000);
	decodes_process(&d, s, b);
	for (uint32_t k = 0; k < n; k++)
		members_count(b, s, &b->member[k], 1000);
}

/* Two prompts; one of them makes a single token. */
static void joining(void)
{
	engine = small_engine();
	start(&policy_trtllm);
	come(20, 3, 0);
	come(10, 1, 0);
	decodes_init(&d, s);
	ok(!s->out_of_memory, "made");
	begin(&batches[0]);
	ok(batches[0].n_decode_only == 0, "nobody decodes");
	members_add(&m, s, 0, 20, 1);
	members_add(&m, s, 1, 10, 1);
	commit(&batches[0]);
	ok(d.n == 1 && d.ctx[0] == 20 && d.n_ending == 1 && d.ending[0] == 1,
	   "whose prompt is complete, decodes from then on, or is about to "
	   "end");
}

static void ahead_of_results(void)
{
	begin(&batches[1]);
	ok(batches[1].n_decode_only == 1 &&
	       decodes_list(&d, &batches[1], listed) == 1 &&
	       listed[0].context == 20 && listed[0].emitted == 1,
	   "one is in the next step; the other has its last token in flight");
	commit(&batches[1]);
	ok(s->kv.pool.used == 6, "blocks for the tokens of that step");
	process(&batches[0]);
	ok(batches[0].n_first == 2 && batches[0].n_last == 1 &&
	       batches[0].last[0] == 1 && batches[0].n_on_time == 0,
	   "the result of the first one: two first tokens, one last");
	ok(d.n == 1 && d.ctx[0] == 21 && d.id[0] == 0 && d.n_ending == 0,
	   "who ended has left");
}

static void leaving(void)
{
	begin(&batches[0]);
	ok(batches[0].n_decode_only == 1, "one is left");
	commit(&batches[0]);
	ok(d.n == 0 && d.n_ending == 1, "its last token is in flight");
	process(&batches[1]);
	ok(batches[1].n_on_time == 1 && batches[1].n_last == 0,
	   "its second token");
	process(&batches[0]);
	ok(batches[0].n_on_time == 1 && batches[0].n_last == 1 &&
	       pool.item[0].generated == 3 && d.n_ending == 0,
	   "its last token");
	begin(&batches[1]);
	ok(batches[1].n_decode_only == 0, "nobody");
}

int main(void)
{
	joining();
	ahead_of_results();
	leaving();
	stop();
	return done();
}
