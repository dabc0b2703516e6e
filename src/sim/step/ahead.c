/* ahead.c -- Prices a step together with the steps that will follow it. */
#include "sim/step/ahead.h"
#include "sim/policy/columns.h"

/* Fills in the steps behind *step[0]: step[1] …  Returns how many steps there
 * are, step[0] included. */
static uint32_t look_ahead(struct scheduler *s, uint32_t most,
			   const sc_step *step[COST_BATCH])
{
	const struct step_columns *c = &s->columns;
	sc_step *next = c->ahead;
	next[0] = *step[0];
	uint32_t n = s->policy->ahead(s, next, most);
	for (uint32_t k = 0; k < n; k++) {
		next[k].step_index = step[0]->step_index + 1 + k;
		step[1 + k] = &next[k];
		if (k + 1 == n)
			break;
		uint32_t *ctx =
		    c->ahead_ctx + (size_t)(k + 1) * s->e->max_num_seqs;
		columns_next(ctx, next[k].decode_ctx, next[k].n_decode);
		next[k + 1] = next[k];
		next[k + 1].decode_ctx = ctx;
		next[k + 1].decode_ctx_sum += next[k].n_decode;
	}
	return 1 + n;
}

const sc_result *ahead_price(struct ahead *a, struct scheduler *s,
			     struct cost *c, const sc_step *step, uint32_t most,
			     struct problem *p)
{
	const sc_step *asked[COST_BATCH];
	ahead_drop(a);
	if (!s->policy->ahead || !cost_prices_batches(c))
		return cost_eval(c, step, p);
	asked[0] = step;
	if (most > COST_BATCH - 1)
		most = COST_BATCH - 1;
	uint32_t n = look_ahead(s, most, asked);
	uint32_t good = cost_eval_batch(c, n, asked);
	if (good == 0)
		return cost_eval(c, step, p);
	*a = (struct ahead){good, 1, c->answers_end - n, c->n_asked};
	return &a->answer[0].is;
}
