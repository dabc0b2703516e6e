/* What a server that has just started waits for. */
#include "sim/step/first_use.h"
#include "tap.h"

/* Mixtral: two of eight experts. */
static struct engine started(uint32_t batched)
{
	return (struct engine){.max_num_batched_tokens = batched,
			       .step_ranks = 1,
			       .graph_max_tokens = 256,
			       .n_experts = 8,
			       .experts_per_token = 2,
			       .first_step_us = 5,
			       .expert_compile_us = 100};
}

static void waits(void)
{
	const struct engine e = started(2048);
	struct first_use f = first_use_begin(&e);
	ok(first_use_wait_us(&f, &e, 256) == 0, "a captured graph is replayed");
	ok(first_use_wait_us(&f, &e, 2048) == 5,
	   "the first step beyond loads its kernels; the profile had those of "
	   "experts");
	ok(first_use_wait_us(&f, &e, 505) == 100, "another number of tokens");
	ok(first_use_wait_us(&f, &e, 600) == 100,
	   "near the same tiles, and a multiple of 8");
	ok(first_use_wait_us(&f, &e, 604) == 100, "or 4 more than one");
	ok(first_use_wait_us(&f, &e, 700) == 0, "that is all of those tiles");
	ok(first_use_wait_us(&f, &e, 768) == 0 &&
	       first_use_wait_us(&f, &e, 769) == 100,
	   "nearest, the smaller of two");
	ok(first_use_wait_us(&f, &e, 257) == 100 &&
	       first_use_wait_us(&f, &e, 264) == 0,
	   "capture had multiples of 8 of the largest graph's");
}

static void waits_not(void)
{
	struct engine e = started(2048);
	e.n_experts = 0;
	struct first_use f = first_use_begin(&e);
	ok(first_use_wait_us(&f, &e, 505) == 5 &&
	       first_use_wait_us(&f, &e, 600) == 0,
	   "dense models compile nothing");
	e = started(2048);
	e.experts_per_token = 8;
	e.n_experts = 128;
	f = first_use_begin(&e);
	ok(first_use_wait_us(&f, &e, 1000) == 105 &&
	       first_use_wait_us(&f, &e, 1002) == 0,
	   "eight of 128: even numbers are alike");
	e.expert_compile_us = e.first_step_us = 0;
	f = first_use_begin(&e);
	ok(first_use_wait_us(&f, &e, 300) == 0, "a warm server has them all");
}

int main(void)
{
	waits();
	waits_not();
	return done();
}
