/* Ranks that take each step together. */
#include "sim/lockstep.h"
#include "serve.h"
#include "tap.h"

enum { STEPS = 100 };
static struct step_event step[STEPS];
static sc_step shown[STEPS];
static size_t n_steps;

static int on_step(void *ctx, const struct step_event *e, struct problem *p)
{
	(void)ctx, (void)p;
	step[n_steps] = *e;
	shown[n_steps++] = *e->step;
	return 0;
}

static struct outcome out;
static struct problem problem;

/* A step lasts 100 us and 1 us a token. */
static int run(const struct engine *e, const struct request *r, size_t n)
{
	const struct observer o = {.on_step = on_step};
	const struct linear_cost cost = {100, 1, 0};
	n_steps = 0;
	return serve(e, &cost, r, n, &o, &out, &problem);
}

static struct engine of_two_ranks(void)
{
	struct engine e = plain_engine();
	e.preset = PRESET_VLLM_024;
	e.replicas = e.ranks = e.lockstep_ranks = 2;
	e.rank_routing = RANKS_ROUND_ROBIN;
	e.prefill_interval = 1;
	return e;
}

static int at(size_t i, uint32_t rank, int64_t start_ns, int64_t end_ns)
{
	return step[i].rank == rank && step[i].start_ns == start_ns &&
	       step[i].end_ns == end_ns;
}

static const struct request two[] = {
    {.input_tokens = 10, .output_tokens = 2},
    {.row = 1, .input_tokens = 30, .output_tokens = 1}};

static void the_longest_counts(void)
{
	struct engine e = of_two_ranks();
	ok(run(&e, two, 2) == 0 && n_steps == 3 && out.completed == 2,
	   "two ranks, two requests");
	ok(at(0, 0, 0, 130000) && at(1, 1, 0, 130000),
	   "a step lasts as long as the longest of them");
	ok(at(2, 0, 130000, 231000), "and goes on beside a dummy");
	ok(shown[0].replica == 0 && shown[1].replica == 1 &&
	       shown[2].step_index == 1,
	   "each rank counts its own steps");
}

static void what_the_group_computes(void)
{
	struct engine e = of_two_ranks();
	run(&e, two, 2);
	ok(shown[0].dp_tokens == 40 && shown[0].dp_max_tokens == 32 &&
	       shown[1].dp_max_tokens == 32,
	   "tokens of both, and of the busiest padded to a captured size");
	ok(shown[2].dp_tokens == 2 && shown[2].dp_max_tokens == 1,
	   "a dummy is a token");
	ok(shown[0].flags == SC_STEP_GRAPH, "small enough to be replayed");
	e.graph_max_tokens = 20;
	run(&e, two, 2);
	ok(shown[0].flags == 0 && shown[0].dp_max_tokens == 30,
	   "one beyond the captured sizes makes all eager");
}

/* The first ends in the first step; steps go on until the 32nd. */
static void waves(void)
{
	struct request r[] = {{.input_tokens = 1, .output_tokens = 1},
			      {.row = 1,
			       .arrival_ns = 150000,
			       .input_tokens = 1,
			       .output_tokens = 1}};
	struct engine e = of_two_ranks();
	ok(run(&e, r, 2) == 0 && at(1, 1, 202000, 303000),
	   "a request waits for the dummies that run");
	r[1].arrival_ns = 32 * 101000 - 1;
	ok(run(&e, r, 2) == 0 && at(1, 1, 32 * 101000, 33 * 101000),
	   "up to the 32nd step");
	r[1].arrival_ns = 32 * 101000 + 5;
	ok(run(&e, r, 2) == 0 && at(1, 1, 32 * 101000 + 5, 33 * 101000 + 5),
	   "then the wave is over, and it waits for nobody");
}

/* One decodes when another comes to its rank. */
static void deferral(void)
{
	const struct request r[] = {
	    {.input_tokens = 1, .output_tokens = 9},
	    {.row = 1, .input_tokens = 1, .output_tokens = 9},
	    {.row = 2,
	     .arrival_ns = 50000,
	     .input_tokens = 5,
	     .output_tokens = 1}};
	struct engine e = of_two_ranks();
	run(&e, r, 3);
	ok(out.completed == 3 && shown[2].n_prefill == 1,
	   "a prompt begins in the next step");
	e.prefill_interval = 4;
	run(&e, r, 3);
	ok(out.completed == 3 && shown[2].n_prefill == 0 &&
	       shown[8].n_prefill == 1,
	   "deferred, in the next fourth step");
}

/* Asynchronously a rank's thread is one step ahead. */
static void one_ahead(void)
{
	struct engine e = of_two_ranks();
	e.async_scheduling = 1;
	e.schedule_ns = 7000;
	ok(run(&e, two, 2) == 0 && at(0, 0, 7000, 137000) &&
	       at(2, 0, 137000, 238000),
	   "steps follow each other");
	ok(step[2].schedule_ns == 7000, "the second is scheduled meanwhile");
}

int main(void)
{
	the_longest_counts();
	what_the_group_computes();
	waves();
	deferral();
	one_ahead();
	return done();
}
