/* draft_model.c -- Loads the model of a drafter and shares it out. */
#include "engine/draft_model.h"
#include "engine/parallel.h"

/* The keys as they are for the drafter: it is in one stage, and a dense one has
 * no experts to split. */
static struct engine_keys own_keys(const struct engine_keys *k,
				   const struct model *m)
{
	struct engine_keys own = *k;
	own.pipeline_parallel_size = 1;
	if (!model_has_experts(&m->view))
		own.enable_expert_parallel = own.expert_parallel_size = 0;
	return own;
}

int draft_model_load(struct model *m, const struct engine_keys *k,
		     const struct model *target,
		     const struct engine_source *from, struct problem *p)
{
	int drafts = k->num_speculative_tokens > 0 &&
		     k->speculative_method != SPECULATIVE_NGRAM;
	*m = (struct model){
	    .view = {.size = sizeof m->view, .compute_format = SC_BF16}};
	if (drafts && k->draft_model_config[0]) {
		if (model_load_config(
			m, from->ini,
			engine_key_item(from, "draft_model_config"), p) < 0)
			return -1;
	} else if (drafts && k->draft_cost_model[0] &&
		   k->speculative_method == SPECULATIVE_MTP &&
		   target->view.n_groups) {
		if (model_last_layer(m, target, p) < 0)
			return -1;
	}
	struct engine_keys own = own_keys(k, m);
	return parallel_check(&own, m, from, p);
}

sc_parallel draft_model_parallel(const struct engine_keys *k,
				 const struct model *m)
{
	struct engine_keys own = own_keys(k, m);
	return parallel_of(&own, m);
}

/* Bytes of the matrices outside the layers. */
static double outside_bytes(const struct model *m, uint32_t tp,
			    enum speculative_method method)
{
	if (method == SPECULATIVE_MTP)
		return 0;
	return model_outside_bytes(m, tp, method == SPECULATIVE_DRAFT_MODEL, 1);
}

void draft_model_add(struct engine_facts *f, const struct model *m,
		     const struct engine_keys *k, double kv_bits)
{
	sc_parallel s = draft_model_parallel(k, m);
	struct engine_share *last = &f->share[f->parallel.pp - 1], share;
	enum speculative_method method =
	    (enum speculative_method)k->speculative_method;
	if (m->view.n_groups == 0 || f->model == NULL)
		return;
	parallel_shares(&share, &s, m, kv_bits);
	last->weight_bytes += share.weight_bytes -
			      model_outside_bytes(m, s.tp, 1, 1) +
			      outside_bytes(m, s.tp, method);
	last->kv_bytes_per_token += share.kv_bytes_per_token;
	if (f->n_kv_layers)
		f->n_kv_layers = parallel_kv_layers(
		    f->kv_layer, f->n_kv_layers, m, s.tp,
		    (uint32_t)k->num_speculative_tokens, kv_bits);
}
