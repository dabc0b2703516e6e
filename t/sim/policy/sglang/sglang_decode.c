/* Decodes under SGLang's rules, and who gives up memory for them. */
#include "sim/policy/sglang/sglang_decode.h"
#include "sim/policy/sglang/sglang.h"
#include "one_scheduler.h"

static struct sglang *x;

static void begin(uint64_t pages)
{
	engine = small_engine();
	engine.preset = PRESET_SGLANG;
	engine.scheduler = SCHEDULER_SGLANG;
	engine.block_size = 1;
	engine.num_gpu_blocks = pages;
	engine.sglang = (struct sglang_rules){
	    .chunk = 50, .max_prefill_tokens = 1000, .first_share = 0.7};
	start(&policy_sglang);
	x = (struct sglang *)(uintptr_t)s;
}

static void shares(void)
{
	begin(ENGINE_UNLIMITED);
	come(10, 5000, 0);
	const struct sequence *q = &pool.item[0];
	ok(sglang_future(q) == 4096 && sglang_expected(q) == 4096,
	   "no more than 4096 tokens are expected");
	come(10, 100, 0);
	q = &pool.item[1];
	ok(sglang_future(q) == 100 && sglang_share(x, q) > 69.999 &&
	       sglang_share(x, q) < 70.001,
	   "of which a share is reserved");
	form();
	results();
	form();
	ok(x->share < 0.7 && x->share > 0.69, "it falls with a decode");
}

static void ended(void)
{
	begin(ENGINE_UNLIMITED);
	x->n = 3;
	x->running[0] = 4;
	x->running[1] = NO_SEQUENCE;
	x->running[2] = 5;
	sglang_drop_ended(x);
	ok(x->n == 2 && x->running[0] == 4 && x->running[1] == 5,
	   "who has ended leaves, the others stay in order");
}

static void gone(void)
{
	begin(80);
	x->share = x->least_share = 1e-9;
	come(10, 9, 0);
	come(12, 9, 0);
	form();
	results();
	ok(x->n == 0 && x->n_last == 2 && x->n_seated == 2,
	   "two that are about to run");
	form();
	sglang_retract(x, 1, 1);
	ok(x->n_seated == 1 && x->own_pages == 11 &&
	       pool.item[1].preemptions == 1 && s->waiting.n == 0,
	   "one gives up its memory, and does not wait yet");
	const struct batch *b = results();
	ok(b->member[1].sequence == NO_SEQUENCE &&
	       pool.item[1].progress.known == 13,
	   "its token in flight is lost");
}

/* A prompt in progress has the rest of the memory. */
static void given_up(void)
{
	begin(30);
	come(10, 9, 0);
	form();
	results();
	x->own_pages = 30;
	is(form(), "", "the last that runs has no room");
	ok(s->given_up == 0 && pool.item[0].is_unschedulable && x->n == 0 &&
	       x->own_pages == 20 && x->n_seated == 0,
	   "and is given up");
}

int main(void)
{
	given_up();
	shares();
	ended();
	gone();
	stop();
	return done();
}
