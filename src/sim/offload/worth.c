/* worth.c -- Prices the tokens that were loaded from the host. */
#include <config.h>
#include "sim/offload/worth.h"

int offload_worth(struct offload_worth *to, const struct offload *o,
		  struct cost *c, const struct engine *e, struct problem *p)
{
	uint64_t id = 0;
	uint32_t is_last = 0;
	for (uint32_t i = 0; i < o->n_loaded; i++) {
		const struct offload_loaded *x = &o->loaded[i];
		sc_step step = {.size = sizeof step,
				.n_prefill = 1,
				.prefill_ctx = &x->found,
				.prefill_new = &x->tokens,
				.prefill_last = &is_last,
				.prefill_id = &id};
		if (x->tokens <= e->graph_max_tokens)
			step.flags |= SC_STEP_GRAPH;
		const sc_result *r = cost_eval(c, &step, p);
		if (!r)
			return -1;
		to->loads++;
		to->load_s += 1e-9 * (double)x->lasts_ns;
		to->computing_s += 1e-6 * r->total_us;
	}
	return 0;
}
