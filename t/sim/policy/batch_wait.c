/* Prompts that wait to be computed together. */
#include "sim/policy/batch_wait.h"
#include "tap.h"

static uint32_t waited;
static struct engine e = {.trtllm = {.wait_steps = 3, .wait_tokens = 1000},
			  .lockstep_ranks = 1};

static int holds(uint64_t tokens)
{
	return batch_wait_holds(&waited, &e.trtllm, tokens);
}

int main(void)
{
	ok(holds(304) && holds(304) && holds(304), "for three steps");
	ok(!holds(304), "and no longer");
	ok(holds(304) && waited == 1, "then the count starts anew");
	ok(!holds(1000) && waited == 0,
	   "a step with enough tokens goes at once");
	ok(holds(999), "with one fewer it waits");
	ok(batch_wait_is_on(&e), "prompts may wait");
	e.lockstep_ranks = 2;
	ok(!batch_wait_is_on(&e), "but not those of ranks that step together");
	return done();
}
