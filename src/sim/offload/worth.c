/* worth.c -- Prices the tokens that were loaded from the host. */
#include "sim/offload/worth.h"

void offload_worth(struct offload_worth *to, const struct offload *o,
		   struct cost *c, const struct engine *e)
{
	struct offload_worth x = *to;
	struct problem refused;
	uint64_t id = 0;
	uint32_t is_last = 0;
	for (uint32_t i = 0; i < o->n_loaded; i++) {
		const struct offload_loaded *l = &o->loaded[i];
		sc_step step = {.size = sizeof step,
				.n_prefill = 1,
				.prefill_ctx = &l->found,
				.prefill_new = &l->tokens,
				.prefill_last = &is_last,
				.prefill_id = &id};
		if (l->tokens <= e->graph_max_tokens)
			step.flags |= SC_STEP_GRAPH;
		const sc_result *r = cost_eval(c, &step, &refused);
		if (!r)
			return;
		x.loads++;
		x.load_s += 1e-9 * (double)l->lasts_ns;
		x.computing_s += 1e-6 * r->total_us;
	}
	*to = x;
}
