/* rank_balance.c -- Decides whether the prompts of all ranks wait. */
#include "sim/front/rank_balance.h"

int rank_balance_holds(struct rank_balance *b, const struct trtllm_rules *rules,
		       const struct rank_loads *l)
{
	int all_decode = l->with_decodes == l->ranks;
	if (l->full || l->with_prompts < l->ranks) {
		if (++b->waited < rules->balance_timeout && all_decode)
			return 1;
		b->waited = 0;
		return 0;
	}
	b->waited = 0;
	if (!all_decode)
		return 0;
	if (b->batched < rules->balance_wait) {
		b->batched++;
		return 1;
	}
	b->batched = 0;
	return 0;
}
