/* drafter.c -- Prices the passes of a drafter. */
#include "sim/drafts/drafter.h"

static uint32_t append_decodes(const struct drafter *d, const sc_step *step)
{
	for (uint32_t i = 0; i < step->n_decode; i++) {
		uint32_t made = step->decode_new ? step->decode_new[i] : 1;
		d->ctx[i] = step->decode_ctx[i] + made;
		d->id[i] = step->decode_id[i];
	}
	return step->n_decode;
}

/* Lists the sequences that made a token, with the KV tokens they have after the
 * step. */
static uint32_t list_sampled(const struct drafter *d, const sc_step *step)
{
	uint32_t n = append_decodes(d, step);
	for (uint32_t i = 0; i < step->n_prefill; i++) {
		if (!step->prefill_last[i])
			continue;
		d->ctx[n] = step->prefill_ctx[i] + step->prefill_new[i];
		d->id[n++] = step->prefill_id[i];
	}
	return n;
}

static int price(const struct drafter *d, const sc_step *pass, double *us,
		 struct problem *p)
{
	const sc_result *r = cost_eval(d->cost, pass, p);
	if (!r)
		return -1;
	*us += r->total_us;
	if (d->e->async_scheduling && r->host_us > 0)
		*us -= r->host_us;
	return 0;
}

/* Returns a step with one token per sequence, for the passes after the
 * first. */
static sc_step one_token_each(const struct drafter *d, const sc_step *step,
			      struct drafter_group group)
{
	uint32_t n = list_sampled(d, step);
	uint32_t most = group.most_sampled ? group.most_sampled : n;
	return (sc_step){
	    .size = sizeof(sc_step),
	    .flags = most <= d->e->graph_max_tokens ? SC_STEP_GRAPH : 0,
	    .step_index = step->step_index,
	    .replica = step->replica,
	    .n_decode = n,
	    .n_sampled = n,
	    .decode_ctx = d->ctx,
	    .decode_id = d->id,
	    .dp_tokens = group.sampled,
	    .dp_max_tokens = engine_padded_tokens(d->e, group.most_sampled),
	};
}

int drafter_add(const struct drafter *d, const sc_step *step,
		struct drafter_group group, double *us, struct problem *p)
{
	/* vLLM's newer runner drafts all of them in any case. */
	uint32_t drafts =
	    d->e->model_runner == MODEL_RUNNER_V2
		? d->e->speculation.drafts
		: speculation_drafts(&d->e->speculation,
				     step->n_decode + step->n_prefill);
	uint32_t passes = drafts && step->n_sampled == 0 ? 1 : drafts;
	if (!d->cost) {
		*us += passes * d->e->draft_us;
		return 0;
	}
	if (passes == 0)
		return 0;
	if (price(d, step, us, p) < 0)
		return -1;
	sc_step pass = one_token_each(d, step, group);
	for (uint32_t k = 1; k < passes; k++) {
		if (price(d, &pass, us, p) < 0)
			return -1;
		for (uint32_t i = 0; i < pass.n_decode; i++)
			d->ctx[i]++;
	}
	return 0;
}
