/* Steps of prompts under SGLang's rules: budgets and memory. */
#include "sim/policy/sglang/sglang_prompts.h"
#include "sim/policy/sglang/sglang.h"
#include "one_scheduler.h"

static void begin(uint32_t page, uint64_t pages)
{
	engine = small_engine();
	engine.preset = PRESET_SGLANG;
	engine.scheduler = SCHEDULER_SGLANG;
	engine.block_size = page;
	engine.num_gpu_blocks = pages;
	engine.prefix_caching = 1;
	engine.sglang = (struct sglang_rules){
	    .max_prefill_tokens = 60, .first_share = 0.7, .ignores_eos = 1};
	start(&policy_sglang);
}

/* Without chunks; with them under 0.5.6, too. */
static void prompts_of_a_step(void)
{
	begin(1, ENGINE_UNLIMITED);
	come(100, 2, 0);
	come(10, 2, 0);
	is(form(), " p0@0+100!", "one prompt may be longer than a step");
	begin(1, ENGINE_UNLIMITED);
	come(40, 2, 0);
	come(20, 2, 0);
	is(form(), " p0@0+40!", "the next must be shorter than what is left");
	results();
	begin(1, ENGINE_UNLIMITED);
	engine.sglang.chunk = 100;
	come(50, 2, 0);
	come(40, 2, 0);
	is(form(), " p0@0+50! p1@0+40!", "chunks have no such bound");
	engine.preset = PRESET_SGLANG_056;
	start(&policy_sglang);
	come(50, 2, 0);
	come(40, 2, 0);
	is(form(), " p0@0+50!", "but they did in 0.5.6");
}

static void pages(void)
{
	begin(16, ENGINE_UNLIMITED);
	engine.sglang.chunk = 32;
	start(&policy_sglang);
	come(30, 2, 0);
	come(17, 2, 0);
	is(form(), " p0@0+30!", "two pages of two are taken");
	results();
	is(form(), " p1@0+17!", "then two more");
	ok(s->kv.pool.used == 4, "four in all");
}

/* 60 tokens.  Without a tree lengths are certain. */
static void certain(uint32_t is_certain, const char *second)
{
	begin(1, 60);
	engine.prefix_caching = 0;
	engine.sglang.ignores_eos = is_certain;
	start(&policy_sglang);
	come(20, 5, 0);
	come(10, 30, 0);
	is(form(), " p0@0+20!", "one that ends soon");
	results();
	is(form(), second, "ignore_eos %u", is_certain);
}

int main(void)
{
	prompts_of_a_step();
	pages();
	certain(1, " p1@0+10!");
	certain(0, " d0@20 graph");
	stop();
	return done();
}
