/* Steps that are carried out together: how far a run of them goes, and who is
 * told. */
#include "sim/step/decode_run.h"
#include "serve.h"
#include "tap.h"

enum { US = 1000, SECOND_COMES = 40037 * US, TOKENS = 700 };
static const struct linear_cost cost = {100, 1, 0.125};

static uint64_t steps, runs, told_alone;
static uint32_t longest, n_beyond, n_apart;

static int on_step(void *ctx, const struct step_event *e, struct problem *p)
{
	(void)ctx, (void)e, (void)p;
	told_alone++;
	return 0;
}

static int on_run(void *ctx, const struct decode_run *run, struct problem *p)
{
	(void)ctx, (void)p;
	runs++;
	steps += run->n;
	longest = run->n > longest ? run->n : longest;
	for (uint32_t i = 1; i < run->n; i++) {
		n_apart += run->start_ns[i] != run->end_ns[i - 1] + 5 * US;
		n_beyond += run->start_ns[0] < SECOND_COMES &&
			    run->start_ns[i] >= SECOND_COMES;
	}
	return 0;
}

/* Two requests, the second one while the first decodes. */
static void run(uint32_t replicas, const struct observer *o,
		struct outcome *out)
{
	static const struct request r[] = {
	    {.row = 0, .input_tokens = 8, .output_tokens = TOKENS},
	    {.row = 1,
	     .arrival_ns = SECOND_COMES,
	     .input_tokens = 8,
	     .output_tokens = TOKENS}};
	struct workload w = {.request = r, .n = 2};
	struct engine e = plain_engine();
	struct problem p = {0};
	e.schedule_ns = 5 * US;
	e.replicas = replicas;
	steps = runs = told_alone = 0;
	if (serve_workload(&e, &cost, &w, o, out, &p))
		bail_out("a run failed");
}

int main(void)
{
	static struct outcome out;
	const struct observer both = {.on_step = on_step, .on_run = on_run};
	const struct observer each = {.on_step = on_step};
	run(1, &both, &out);
	ok(steps == out.num_steps && told_alone == 0,
	   "all %u steps are told in runs", (unsigned)out.num_steps);
	ok(longest > 1 && longest <= DECODE_RUN && steps > 2 * runs,
	   "of up to %u steps", longest);
	ok(n_apart == 0, "each is scheduled when the one before has ended");
	ok(n_beyond == 0, "none goes on when a request comes");
	uint64_t alone = out.num_steps;
	run(1, &each, &out);
	ok(told_alone == out.num_steps && alone == out.num_steps,
	   "who wants to see each step does");
	run(2, &both, &out);
	ok(runs == 0 && told_alone == out.num_steps,
	   "of several replicas each step is told alone");
	return done();
}
