/* Prompts that wait to be computed together. */
#include "sim/policy/batch_wait.h"
#include "tap.h"

static struct batch_wait w;
static struct engine e = {.trtllm = {.wait_steps = 3, .wait_tokens = 1000}};

static int holds(uint64_t decodes, uint64_t prompts, uint64_t tokens)
{
	const struct batch_load l = {decodes, prompts, tokens};
	return batch_wait_holds(&w, &e, &l);
}

int main(void)
{
	ok(!holds(0, 2, 300), "without decodes prompts do not wait");
	ok(holds(4, 1, 300) && holds(4, 1, 300) && holds(4, 1, 300),
	   "else for three steps");
	ok(!holds(4, 1, 300), "and no longer");
	ok(holds(4, 1, 300), "then the count starts anew");
	ok(!holds(4, 0, 0) && w.steps == 1, "it stays while none wait");
	ok(!holds(4, 2, 996) && w.steps == 0,
	   "prompts and decodes with enough tokens go at once");
	ok(holds(4, 2, 995), "with one fewer they wait");
	return done();
}
