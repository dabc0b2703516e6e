/* The turns of an engine's thread. */
#include "sim/replica.h"
#include "serve.h"
#include "tap.h"

enum { STEPS = 100 };
static struct step_event step[STEPS];
static size_t n_steps;

static int on_step(void *ctx, const struct step_event *e, struct problem *p)
{
	(void)ctx, (void)p;
	step[n_steps++] = *e;
	return 0;
}

static struct outcome out;
static struct problem problem;

/* Each step lasts 100 us. */
static int run(const struct engine *e, const struct request *r, size_t n)
{
	const struct observer o = {.on_step = on_step};
	const struct linear_cost cost = {100, 0, 0};
	n_steps = 0;
	return serve(e, &cost, r, n, &o, &out, &problem);
}

static struct engine under(enum engine_preset preset)
{
	struct engine e = plain_engine();
	e.preset = preset;
	e.schedule_ns = 30000;
	return e;
}

static int at(size_t i, int64_t schedule_ns, int64_t start_ns, int64_t end_ns)
{
	return step[i].schedule_ns == schedule_ns &&
	       step[i].start_ns == start_ns && step[i].end_ns == end_ns;
}

static const struct request two_tokens = {.input_tokens = 10,
					  .output_tokens = 2};

static void one_after_another(void)
{
	struct engine e = under(PRESET_NONE);
	ok(run(&e, &two_tokens, 1) == 0 && n_steps == 2, "two steps");
	ok(at(0, 0, 0, 100000) && at(1, 130000, 130000, 230000),
	   "without a preset: schedule_us between them");
	e = under(PRESET_VLLM_015);
	ok(run(&e, &two_tokens, 1) == 0 && n_steps == 2, "under a preset");
	ok(at(0, 0, 30000, 130000) && at(1, 130000, 160000, 260000),
	   "a call keeps the thread busy");
}

static void one_ahead(void)
{
	struct engine e = under(PRESET_VLLM_015);
	e.async_scheduling = 1;
	ok(run(&e, &two_tokens, 1) == 0 && n_steps == 2, "async");
	ok(at(0, 0, 30000, 130000) && at(1, 30000, 130000, 230000),
	   "calls follow each other, and steps too");
}

/* One token a turn, and then nothing to schedule. */
static void sleeps(void)
{
	const struct request two[] = {
	    {.input_tokens = 10, .output_tokens = 1},
	    {.row = 1,
	     .arrival_ns = 110000,
	     .input_tokens = 10,
	     .output_tokens = 1},
	};
	struct engine e = under(PRESET_VLLM_024);
	e.async_scheduling = e.queues_empty_batches = 1;
	e.schedule_ns = 0;
	ok(run(&e, two, 2) == 0 && at(1, 110000, 110000, 210000),
	   "no sleep: a request is seen when it comes");
	e.empty_sleep_ns = 1000000;
	e.empty_sleep_while = SLEEP_WHILE_ANY;
	ok(run(&e, two, 2) == 0 && at(1, 1100000, 1100000, 1200000),
	   "asleep since the first ended: seen 1 ms later");
	e.empty_sleep_while = SLEEP_WHILE_UNFINISHED;
	ok(run(&e, two, 2) == 0 && at(1, 110000, 110000, 210000),
	   "unless it sleeps only while requests wait or run");
}

static void stuck(void)
{
	struct engine e = under(PRESET_VLLM_015);
	e.num_gpu_blocks = 10;
	e.watermark_blocks = 20;
	const struct request r[] = {two_tokens, two_tokens};
	ok(run(&e, r, 2) == 0 && out.completed == 2,
	   "what leaves no room for two lets one after the other in");
}

int main(void)
{
	one_after_another();
	one_ahead();
	sleeps();
	stuck();
	return done();
}
