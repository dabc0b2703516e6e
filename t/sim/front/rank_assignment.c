/* Requests that wait for a replica, and are assigned to its ranks when a step
 * begins. */
#include "sim/front/rank_assignment.h"
#include "serve.h"
#include "tap.h"

enum { STEPS = 100 };
static sc_step shown[STEPS];
static struct step_event step[STEPS];
static uint32_t new_tokens[STEPS];
static size_t n_steps;
static struct outcome out;
static struct problem problem;

static int on_step(void *ctx, const struct step_event *e, struct problem *p)
{
	(void)ctx, (void)p;
	step[n_steps] = *e;
	new_tokens[n_steps] = 0;
	for (uint32_t i = 0; i < e->step->n_prefill; i++)
		new_tokens[n_steps] += e->step->prefill_new[i];
	shown[n_steps++] = *e->step;
	return 0;
}

/* A step lasts 100 us and 1 us a token. */
static int run(const struct engine *e, const struct request *r, size_t n)
{
	const struct observer o = {.on_step = on_step};
	const struct linear_cost cost = {100, 1, 0};
	n_steps = 0;
	return serve(e, &cost, r, n, &o, &out, &problem);
}

static struct engine of_ranks(uint32_t n)
{
	struct engine e = plain_engine();
	e.preset = PRESET_TENSORRT_LLM;
	e.scheduler = SCHEDULER_TENSORRT_LLM;
	e.replicas = e.ranks = e.lockstep_ranks = n;
	e.rank_routing = RANKS_FEWEST_TOKENS;
	e.max_num_seqs = 4;
	e.max_num_batched_tokens = 100;
	e.prefill_interval = 1;
	return e;
}

#define PROMPT(row_, tokens)                                                   \
	{                                                                      \
		.row = (row_), .input_tokens = (tokens), .output_tokens = 1    \
	}
static const struct request five[] = {
    PROMPT(0, 60), PROMPT(1, 30), PROMPT(2, 20), PROMPT(3, 55), PROMPT(4, 10)};

static void by_tokens(void)
{
	struct engine e = of_ranks(2);
	ok(rank_assignment_is_used(&e), "two ranks in lockstep");
	/* 60 | 30 | 30 + 20; 55 is too much beside 50, and ends the deal */
	ok(run(&e, five, 5) == 0 && out.completed == 5, "%s five prompts",
	   problem.text);
	ok(n_steps == 4 && new_tokens[0] == 60 && new_tokens[1] == 50,
	   "to the rank with the fewest tokens, until one does not fit");
	ok(new_tokens[2] == 55 && new_tokens[3] == 10 &&
	       shown[2].replica == 0 && shown[3].replica == 1,
	   "the others in the next step");
	ok(step[2].start_ns == 160000, "which begins when the first is over");
}

static void by_seats(void)
{
	struct engine e = of_ranks(2);
	e.max_num_seqs = 1;
	ok(run(&e, five, 5) == 0 && out.completed == 5 &&
	       shown[0].n_prefill == 1 && shown[1].n_prefill == 1,
	   "or until a rank has no seat");
}

/* The group has nothing to do between the requests. */
static void no_wave(void)
{
	struct engine e = of_ranks(2);
	struct request late[] = {PROMPT(0, 60), PROMPT(1, 30)};
	late[1].arrival_ns = 200000;
	ok(run(&e, late, 2) == 0 && n_steps == 2 && step[1].start_ns == 200000,
	   "no steps without requests");
}

static void one_rank(void)
{
	struct engine e = of_ranks(1);
	ok(!rank_assignment_is_used(&e) && run(&e, five, 5) == 0 &&
	       out.completed == 5,
	   "a rank alone");
}

int main(void)
{
	by_tokens();
	by_seats();
	no_wave();
	one_rank();
	return done();
}
