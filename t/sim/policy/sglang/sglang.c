/* The steps of one replica under SGLang's rules, a schedule at a time. */
#include "sim/policy/sglang/sglang.h"
#include "sim/policy/sglang/sglang_decode.h"
#include "one_scheduler.h"

static struct engine sglang_engine(void)
{
	struct engine e = small_engine();
	e.preset = PRESET_SGLANG;
	e.scheduler = SCHEDULER_SGLANG;
	e.block_size = 1;
	e.sglang = (struct sglang_rules){
	    .chunk = 50, .max_prefill_tokens = 1000, .first_share = 0.7};
	return e;
}

static void apart(void)
{
	engine = sglang_engine();
	start(&policy_sglang);
	is(form(), "", "nobody, no step");
	come(20, 4, 0);
	is(form(), " p0@0+20!", "a prompt");
	results();
	is(form(), " d0@20 graph", "a decode");
	results();
	come(10, 1, 0);
	is(form(), " p1@0+10!", "prompts first, and alone");
	ok(results()->n_last == 1, "of one token, it ends with that");
	is(form(), " d0@21 graph", "who waited goes on");
}

static void chunks(void)
{
	engine = sglang_engine();
	start(&policy_sglang);
	come(120, 2, 0);
	come(10, 2, 0);
	is(form(), " p0@0+50", "no more of a prompt than a chunk");
	results();
	is(form(), " p0@50+50", "nobody else while the chunk is full");
	results();
	is(form(), " p0@100+20! p1@0+10!", "beside the last of it the next");
	results();
	engine.sglang.chunk = 0;
	start(&policy_sglang);
	come(500, 2, 0);
	is(form(), " p0@0+500!", "without chunks, whole");
}

static void mixed(void)
{
	engine = sglang_engine();
	engine.sglang.mixes = 1;
	start(&policy_sglang);
	come(20, 4, 0);
	form();
	results();
	come(80, 1, 0);
	is(form(), " d0@20 p1@0+49", "a decode takes its token off the chunk");
}

/* Who has ended keeps his seat until a call that decodes. */
static void seats(void)
{
	engine = sglang_engine();
	engine.async_scheduling = 1;
	engine.max_num_seqs = 2;
	start(&policy_sglang);
	come(10, 1, 0);
	come(10, 6, 0);
	come(10, 3, 0);
	is(form(), " p0@0+10! p1@0+10!", "two seats");
	is(form(), " d0@10 d1@10 graph",
	   "one has ended, but that is not known");
	results();
	is(form(), " d1@11 graph",
	   "its seat is taken while prompts are formed");
	results();
	is(form(), " p2@0+10!", "and free behind a call that decoded");
}

/* A prompt in progress counts twice under the later rules. */
static void seat_of_chunks(enum engine_preset preset, const char *third)
{
	engine = sglang_engine();
	engine.preset = preset;
	engine.async_scheduling = 1;
	engine.max_num_seqs = 3;
	start(&policy_sglang);
	come(120, 2, 0);
	come(3, 2, 0);
	come(3, 2, 0);
	form();
	form();
	results();
	is(form(), third, "%s", engine_preset_words[preset]);
}

static void end_of_0_5_6(void)
{
	engine = sglang_engine();
	engine.prefix_caching = 1;
	for (int old = 0; old < 2; old++) {
		engine.preset = old ? PRESET_SGLANG_056 : PRESET_SGLANG_2026_07;
		start(&policy_sglang);
		come(20, 3, 0);
		for (int i = 0; i < 3; i++) {
			form();
			results();
		}
		ok(((struct sglang *)(uintptr_t)s)->tree.pages ==
		       (old ? 20 : 22),
		   "what was made is %s", old ? "not kept" : "kept");
	}
}

static void overlapped(void)
{
	engine = sglang_engine();
	engine.async_scheduling = 1;
	start(&policy_sglang);
	come(20, 2, 0);
	is(form(), " p0@0+20!", "a prompt");
	is(form(), " d0@20 graph", "a decode behind it");
	ok(results()->n_last == 0, "its first token");
	is(form(), " d0@21 graph", "it is not known yet that the last is made");
	ok(results()->n_last == 1, "it is");
	is(form(), "", "nothing comes of the one in flight");
	ok(results()->n_last == 0 && s->kv.pool.used == 0, "and it holds none");
}

/* 40 tokens of memory.  A running request reserves 0.7 of what it may make. */
static void memory(void)
{
	engine = sglang_engine();
	engine.num_gpu_blocks = 40;
	start(&policy_sglang);
	come(10, 20, 0);
	come(15, 1, 0);
	is(form(), " p0@0+10!", "10 and 20 to come and a page: 9 are left");
	results();
	is(form(), " d0@10 graph", "which are too few for 15 and 1");
	for (int i = 0; i < 5; i++) {
		results();
		form();
	}
	results();
	is(form(), " d0@16 graph", "nobody is looked at before one ends");
}

/* Who has made the fewest tokens, then the longest prompt, gives way. */
static void retracted(void)
{
	engine = sglang_engine();
	engine.num_gpu_blocks = 30;
	engine.sglang.first_share = 1e-9;
	start(&policy_sglang);
	come(8, 18, 0);
	is(form(), " p0@0+8!", "one");
	results();
	come(10, 10, 0);
	is(form(), " p1@0+10!", "another, with next to nothing reserved");
	results();
	for (uint32_t i = 0; i < 6; i++) {
		form();
		results();
	}
	is(form(), " d0@14 graph preempted", "30 are full: the later one goes");
	ok(s->kv.pool.used == 15 && pool.item[1].preemptions == 1 &&
	       pool.item[1].progress.computed == 0,
	   "with all it had");
	results();
	is(form(), " d0@15 graph", "it waits: 17 and 3 to come");
}

/* Four pages of 16 tokens, no tree.  A retracted request needs a page more than
 * it did at first. */
static void never_again(void)
{
	engine = sglang_engine();
	engine.preset = PRESET_SGLANG_056;
	engine.block_size = 16;
	engine.num_gpu_blocks = 4;
	engine.sglang.ignores_eos = 1;
	start(&policy_sglang);
	struct sglang *x = (struct sglang *)(uintptr_t)s;
	come(16, 46, 0);
	is(form(), " p0@0+16!", "a request that just fits");
	results();
	sglang_retract(x, 0, 0);
	x->n_last = 0;
	is(form(), "", "nobody");
	ok(s->given_up == NO_SEQUENCE, "nobody waits");
	sglang_wait(x, 0);
	is(form(), "", "retracted, it is not admitted");
	ok(s->given_up == NO_SEQUENCE && s->has_finished,
	   "another call may change that");
	is(form(), "", "it does not");
	ok(s->given_up == 0 && pool.item[0].is_unschedulable &&
	       s->waiting.n == 0,
	   "so it is given up");
}

int main(void)
{
	never_again();
	apart();
	chunks();
	mixed();
	seats();
	seat_of_chunks(PRESET_SGLANG_2026_07, " p0@100+20! p1@0+3!");
	seat_of_chunks(PRESET_SGLANG_056, " p0@100+20! p1@0+3! p2@0+3!");
	end_of_0_5_6();
	overlapped();
	memory();
	retracted();
	stop();
	return done();
}
