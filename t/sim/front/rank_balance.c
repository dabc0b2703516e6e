/* Prompts that wait for those of other ranks. */
#include "sim/front/rank_balance.h"
#include "tap.h"

static struct rank_balance b;
static const struct trtllm_rules rules = {
    .balances_ranks = 1, .balance_timeout = 5, .balance_wait = 2};

/* Four ranks. */
static int holds(uint32_t prompts, uint32_t decodes, uint32_t full)
{
	return rank_balance_holds(
	    &b, &rules, &(struct rank_loads){4, prompts, decodes, full});
}

int main(void)
{
	ok(!holds(1, 3, 0),
	   "while a rank has nothing to decode no prompt waits");
	ok(!holds(4, 0, 0), "nor if all have prompts");
	ok(holds(1, 4, 0) && holds(3, 4, 0) && holds(0, 4, 0) && holds(3, 4, 0),
	   "else they wait for those of all ranks");
	ok(!holds(3, 4, 0) && b.waited == 0, "until the fifth step");
	ok(holds(4, 4, 0) && holds(4, 4, 0) && !holds(4, 4, 0),
	   "with prompts on all ranks two steps more");
	ok(holds(4, 4, 0) && b.batched == 1, "and so the next ones");
	ok(holds(4, 4, 1) && b.waited == 1 && b.batched == 1,
	   "a full batch has no room for prompts");
	return done();
}
