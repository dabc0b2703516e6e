/* parallel.c -- Shares a model out to the GPUs of a replica. */
#include "engine/parallel.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "model/layer.h"
#include "model/linear_attention.h"

sc_parallel parallel_of(const struct engine_keys *k, const struct model *m)
{
	sc_parallel s = {.size = sizeof s,
			 .tp = (uint32_t)k->tensor_parallel_size,
			 .pp = (uint32_t)k->pipeline_parallel_size,
			 .ep = 1,
			 .dp = 1};
	if (!model_has_experts(&m->view))
		return s;
	s.dp = (uint32_t)k->data_parallel_size;
	if (k->expert_parallel_size)
		s.ep = (uint32_t)k->expert_parallel_size;
	else if (k->enable_expert_parallel)
		s.ep = s.tp * s.dp;
	return s;
}

/* ---- sizes that are allowed ---- */

/* Is n a size that the layers of a group can be split to? */
typedef int (*fits_fn)(const sc_layers *g, uint32_t n);

static int heads_fit(const sc_layers *g, uint32_t tp)
{
	if (g->attention == SC_ATTN_NONE || g->attention == SC_ATTN_LINEAR)
		return 1;
	if (g->n_heads % tp)
		return 0;
	return g->attention == SC_ATTN_MLA || g->n_kv_heads % tp == 0 ||
	       tp % g->n_kv_heads == 0;
}

static int experts_fit(const sc_layers *g, uint32_t ep)
{
	return g->ffn != SC_FFN_MOE || g->n_experts % ep == 0;
}

/* vLLM gives some ranks one expert more than others. */
static int experts_fit_unevenly(const sc_layers *g, uint32_t ep)
{
	return g->ffn != SC_FFN_MOE || g->n_experts >= ep;
}

/* The first group that n does not fit; NULL: it fits all. */
static const sc_layers *misfit(const struct model *m, fits_fn fits, uint32_t n)
{
	for (uint32_t i = 0; i < m->view.n_groups; i++)
		if (!fits(m->view.group[i], n))
			return m->view.group[i];
	return NULL;
}

/* "1, 2, 4": sizes up to most that fit all layers and divide `of` (0: any). */
static void allowed(char *text, size_t size, const struct model *m,
		    fits_fn fits, uint32_t most, uint32_t of)
{
	size_t used = 0;
	text[0] = '\0';
	for (uint32_t n = 1; n <= most && used < size; n++)
		if ((!of || of % n == 0) && !misfit(m, fits, n))
			used +=
			    (size_t)snprintf(text + used, size - used,
					     "%s%" PRIu32, used ? ", " : "", n);
}

static int check_tp(const sc_parallel *s, const struct model *m,
		    const struct engine_source *from, struct problem *p)
{
	char sizes[300], kv[80] = "";
	const sc_layers *g = misfit(m, heads_fit, s->tp);
	if (!g)
		return 0;
	allowed(sizes, sizeof sizes, m, heads_fit, 1024, 0);
	if (g->attention != SC_ATTN_MLA)
		snprintf(kv, sizeof kv,
			 ", and the %" PRIu32
			 " KV heads or be a multiple of them",
			 g->n_kv_heads);
	return engine_refuse(p, from, "tensor_parallel_size",
			     "tensor_parallel_size = %" PRIu32
			     ": must divide the %" PRIu32
			     " query heads%s; allowed: %s",
			     s->tp, g->n_heads, kv, sizes);
}

static int check_ep(const struct engine_keys *k, const sc_parallel *s,
		    const struct model *m, const struct engine_source *from,
		    struct problem *p)
{
	char sizes[300];
	uint32_t ranks = s->tp * s->dp;
	fits_fn fits = k->preset ? experts_fit_unevenly : experts_fit;
	const char *key = k->expert_parallel_size ? "expert_parallel_size"
						  : "enable_expert_parallel";
	int wanted = k->expert_parallel_size > 1 || k->enable_expert_parallel;
	if (!model_has_experts(&m->view))
		return wanted ? engine_refuse(p, from, key,
					      "%s: model %s has no experts",
					      key, m->name)
			      : 0;
	if (k->enable_expert_parallel && s->ep != ranks)
		return engine_refuse(p, from, key,
				     "expert_parallel_size = %" PRIu32
				     ": enable_expert_parallel = true means "
				     "%" PRIu32,
				     s->ep, ranks);
	if (ranks % s->ep == 0 && !misfit(m, fits, s->ep))
		return 0;
	allowed(sizes, sizeof sizes, m, fits, ranks, ranks);
	return engine_refuse(p, from, key,
			     "%s: experts split %" PRIu32
			     " ways: must %s the experts of a layer and "
			     "%stensor_parallel_size x data_parallel_size "
			     "= %" PRIu32 "; allowed: %s",
			     key, s->ep, k->preset ? "be at most" : "divide",
			     k->preset ? "divide " : "", ranks, sizes);
}

/* The ranks of a group share tokens where they would have copies of the same KV
 * heads.  Sources: vLLM, config/parallel.py, config/model.py. */
static int check_dcp(const struct engine_keys *k, const struct model *m,
		     const struct engine_source *from, struct problem *p)
{
	const char *key = "decode_context_parallel_size", *why = NULL;
	int64_t n = k->decode_context_parallel_size,
		tp = k->tensor_parallel_size;
	if (n == 1)
		return 0;
	if (tp % n)
		why = "must divide tensor_parallel_size";
	for (uint32_t i = 0; !why && i < m->view.n_groups; i++) {
		const sc_layers *g = m->view.group[i];
		if (g->attention == SC_ATTN_MLA)
			continue;
		if (g->attention != SC_ATTN_FULL)
			why = "all layers must have full attention";
		else if (tp < n * g->n_kv_heads)
			why = "tensor_parallel_size must be at least that many "
			      "times the KV heads";
		else if (g->n_heads / g->n_kv_heads % n)
			why = "must divide the query heads of a KV head";
	}
	return why ? engine_refuse(p, from, key, "%s = %" PRId64 ": %s", key, n,
				   why)
		   : 0;
}

int parallel_check(const struct engine_keys *k, const struct model *m,
		   const struct engine_source *from, struct problem *p)
{
	sc_parallel s = parallel_of(k, m);
	if (m->view.n_groups == 0)
		return 0;
	if (s.pp > m->keys.num_hidden_layers)
		return engine_refuse(p, from, "pipeline_parallel_size",
				     "pipeline_parallel_size = %" PRIu32
				     ": allowed: 1 to %" PRId64
				     ", the layers of the model",
				     s.pp, m->keys.num_hidden_layers);
	if (check_tp(&s, m, from, p) < 0 || check_dcp(k, m, from, p) < 0)
		return -1;
	return check_ep(k, &s, m, from, p);
}

/* ---- what one GPU holds ---- */

struct stage_layers parallel_stage(int64_t layers, uint32_t pp, uint32_t stage)
{
	int64_t each = layers / pp, more = layers % pp, from = 0, n = 0;
	for (uint32_t i = 0; i <= stage; i++) {
		from += n;
		n = each + (i + 1 < pp && i + 1 + more >= pp);
	}
	return (struct stage_layers){from, from + n};
}

void parallel_shares(struct engine_share *share, const sc_parallel *s,
		     const struct model *m, double kv_bits)
{
	for (uint32_t i = 0; i < s->pp; i++) {
		struct stage_layers at =
		    parallel_stage(m->keys.num_hidden_layers, s->pp, i);
		double bytes =
		    model_outside_bytes(m, s->tp, i == 0, i + 1 == s->pp);
		for (int64_t l = at.from; l < at.to; l++)
			bytes +=
			    layer_rank_bytes(&m->kinds.layer[l], s->tp, s->dp);
		share[i] = (struct engine_share){
		    bytes, model_kv_bytes(m, kv_bits, s->tp, at.from, at.to)};
	}
}

static int keeps_as_much(const struct kv_layers *a, const struct kv_layers *b)
{
	return a->window == b->window && a->token_bytes == b->token_bytes &&
	       a->state_bytes == b->state_bytes;
}

/* Adds layers to the list.  Returns its new length, or KV_KINDS + 1: there are
 * too many kinds. */
static uint32_t add_kv_layers(struct kv_layers layer[KV_KINDS], uint32_t n,
			      const struct kv_layers *x)
{
	uint32_t k = 0;
	if (n > KV_KINDS || (x->token_bytes <= 0 && x->state_bytes <= 0))
		return n;
	while (k < n && !keeps_as_much(&layer[k], x))
		k++;
	if (k == KV_KINDS)
		return KV_KINDS + 1;
	if (k < n)
		layer[k].n += x->n;
	else
		layer[n++] = *x;
	return n;
}

uint32_t parallel_kv_layers(struct kv_layers layer[KV_KINDS], uint32_t n,
			    const struct model *m, uint32_t tp, uint32_t drafts,
			    double kv_bits)
{
	int keeps = 0;
	for (uint32_t i = 0; i < m->view.n_groups; i++) {
		const struct layer *l = m->alike[i].layer;
		struct kv_layers x = {.n = m->alike[i].n_layers};
		int has_state =
		    l->mixer == MIX_LINEAR || l->k->linear_beside_attention;
		if (l->k->compress_ratio)
			return 0;
		if (has_state) {
			x.state_bytes = linear_state_bytes(l->k, tp, drafts);
			n = add_kv_layers(layer, n, &x);
			keeps |= x.state_bytes > 0;
			x.state_bytes = 0;
		}
		x.token_bytes = layer_kv_bytes(l, tp, kv_bits);
		keeps |= x.token_bytes > 0;
		if (l->mixer == MIX_SLIDING)
			x.window = (uint32_t)l->k->sliding_window;
		n = add_kv_layers(layer, n, &x);
	}
	return n > KV_KINDS || !keeps ? 0 : n;
}

static const struct layer *first_with_state(const struct model *m)
{
	for (uint32_t i = 0; i < m->view.n_groups; i++) {
		const struct layer *l = m->alike[i].layer;
		if (l->mixer == MIX_LINEAR || l->k->linear_beside_attention)
			return l;
	}
	return NULL;
}

/* Returns what prefix caching keeps of states.  vLLM's kernels for Mamba write
 * a state at the end of every block, others only at the end of a step. */
static enum kv_state cached_states(const struct model *m)
{
	const struct layer *l = first_with_state(m);
	int is_mamba = l && (l->k->linear_attention == LINEAR_MAMBA ||
			     l->k->linear_attention == LINEAR_MAMBA2);
	return is_mamba ? KV_STATE_ALL : KV_STATE_ALIGNED;
}

/* Returns the tokens of the scan; 0: unknown.  Mamba-1 takes one at a time. */
static uint32_t state_chunk(const struct model *m)
{
	const struct layer *l = first_with_state(m);
	if (!l)
		return 0;
	return l->k->linear_attention == LINEAR_MAMBA
		   ? 1
		   : (uint32_t)l->k->linear_chunk_size;
}

/* The KV of a token is on one of n ranks. */
static void share_tokens(struct engine_facts *f, double n)
{
	for (uint32_t i = 0; i < f->parallel.pp; i++)
		f->share[i].kv_bytes_per_token /= n;
	for (uint32_t i = 0; i < f->n_kv_layers; i++)
		f->kv_layer[i].token_bytes /= n;
}

struct engine_facts parallel_facts(const struct model *m,
				   const struct hardware *h,
				   const struct engine_keys *k, sc_model *view)
{
	struct engine_facts f = {
	    .model_max_len = m->max_len,
	    .parallel = parallel_of(k, m),
	    .model_sampling = (uint32_t)m->keys.sampling,
	    .usable_bytes = h->view.mem_bytes,
	    .usd_per_hour = h->price.usd_per_hour,
	    .link_bytes_per_s = h->view.link_bandwidth,
	};
	*view = m->view;
	if (m->view.n_groups == 0)
		return f;
	f.model = view;
	model_set_kv_format(m, engine_kv_format(k), view);
	parallel_shares(f.share, &f.parallel, m, view->kv_bits);
	f.n_kv_layers = parallel_kv_layers(f.kv_layer, 0, m, f.parallel.tp,
					   (uint32_t)k->num_speculative_tokens,
					   view->kv_bits);
	f.cached_states = cached_states(m);
	f.state_chunk = state_chunk(m);
	share_tokens(&f, (double)k->decode_context_parallel_size);
	return f;
}
