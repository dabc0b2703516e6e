/* Who waits in which order under SGLang's rules, and who gives up a seat. */
#include "sim/policy/sglang/sglang_queue.h"
#include "sim/policy/sglang/sglang.h"
#include "one_scheduler.h"

static struct sglang *x;

static void begin(struct sglang_rules rules)
{
	engine = small_engine();
	engine.preset = PRESET_SGLANG;
	engine.scheduler = SCHEDULER_SGLANG;
	engine.block_size = 1;
	engine.prefix_caching = 1;
	engine.sglang = rules;
	engine.sglang.max_prefill_tokens = 1000;
	engine.sglang.first_share = 0.7;
	start(&policy_sglang);
	x = (struct sglang *)(uintptr_t)s;
}

static const char *waiting(void)
{
	static char text[100];
	size_t n = 0;
	text[0] = '\0';
	sglang_sort_waiting(x);
	for (uint32_t k = 0; k < s->waiting.n; k++)
		n += (size_t)snprintf(text + n, sizeof text - n, " %u",
				      queue_at(&s->waiting, k));
	return text;
}

static void by_priority_of_keys(void)
{
	begin((struct sglang_rules){0});
	come(10, 2, 1);
	come(10, 2, 5);
	is(waiting(), " 0 1", "in order of arrival");
	begin((struct sglang_rules){.has_priorities = 1});
	for (int32_t i = 0; i < 4; i++)
		come(10, 2, i % 2);
	is(waiting(), " 1 3 0 2", "the larger number matters more");
	begin(
	    (struct sglang_rules){.has_priorities = 1, .low_values_first = 1});
	for (int32_t i = 0; i < 4; i++)
		come(10, 2, i % 2);
	is(waiting(), " 0 2 1 3", "or the smaller one");
}

static void by_prefix(void)
{
	begin((struct sglang_rules){.policy = SCHEDULE_LPM});
	come_sharing(40, 1, 0, 40);
	form();
	results();
	come(50, 2, 0);
	come_sharing(60, 2, 0, 36);
	is(waiting(), " 2 1", "who finds more goes first");
	begin((struct sglang_rules){.policy = SCHEDULE_LPM});
	come_sharing(60, 2, 0, 32);
	come_sharing(60, 2, 0, 32);
	come(50, 2, 0);
	is(waiting(), " 0 2 1", "one computes 32 tokens for others");
	begin((struct sglang_rules){.policy = SCHEDULE_LPM});
	come_sharing(60, 2, 0, 31);
	come_sharing(60, 2, 0, 31);
	come(50, 2, 0);
	is(waiting(), " 0 1 2", "fewer are not worth it");
}

static void seats(void)
{
	begin((struct sglang_rules){.has_priorities = 1,
				    .preemption_threshold = 3});
	engine.max_num_seqs = 2;
	start(&policy_sglang);
	x = (struct sglang *)(uintptr_t)s;
	come(10, 8, 0);
	come(12, 8, 1);
	form();
	results();
	come(5, 4, 4);
	is(form(), " p2@0+5! preempted", "the least important gives its seat");
	ok(pool.item[0].preemptions == 1 && pool.item[1].preemptions == 0 &&
	       s->waiting.n == 1,
	   "and waits again");
	results();
	come(5, 2, 4);
	is(form(), " d1@12 d2@5 graph", "not one that differs by no more");
	engine.sglang.keeps_seats = 1;
	results();
	come(5, 2, 9);
	is(form(), " d1@13 d2@6 graph", "or if none has to");
}

int main(void)
{
	by_priority_of_keys();
	by_prefix();
	seats();
	stop();
	return done();
}
