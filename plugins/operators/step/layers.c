/* layers.c -- Says which kernels a step of the model runs on one rank, and how
 * often. */
#include "step/layers.h"
#include <math.h>
#include <stdlib.h>
#include "stepcost/fail.h"
#include "stepcost/kernel/unsupported.h"
#include "inst.h"
#include "price/all_to_all.h"
#include "step/parts.h"

enum { GEMMS_OF_LAYER = 12 };

/* A layer group on this rank. */
struct local {
	const sc_layers *g;
	double heads, kv_heads, head_dim, layers;
	double ffn;    /* width of a dense FFN */
	double shared; /* of the shared experts */
	struct dtype attn, dense;
	int has_attention, is_mla, is_moe, has_ffn;
	int is_linear, is_sparse, has_gate;
	struct sc_linear linear;
};

static uint32_t flags_of(const sc_layers *g)
{
	return SC_HAS(g, flags) ? g->flags : 0;
}

/* A linear layer on this rank. */
static struct sc_linear linear_of(const struct inst *s, const sc_layers *g)
{
	if (g->attention != SC_ATTN_LINEAR || !SC_HAS(g, state_bits))
		return (struct sc_linear){0};
	return (struct sc_linear){.family = linear_table(g->linear_kind),
				  .k_heads = ceil(g->linear_k_heads / s->tp),
				  .k_dim = g->linear_k_dim,
				  .v_heads = ceil(g->linear_v_heads / s->tp),
				  .v_dim = g->linear_v_dim,
				  .conv = g->linear_conv,
				  .chunk = g->linear_chunk};
}

static struct local local_of(const struct inst *s, const sc_layers *g)
{
	double kv_heads = g->n_kv_heads ? g->n_kv_heads : g->n_heads;
	double shared = (double)g->n_shared_experts * g->shared_ffn_dim;
	struct local l = {
	    .g = g,
	    .heads = ceil(g->n_heads / s->tp),
	    /* a rank that would get less than one kv head gets a copy of one */
	    .kv_heads = fmax(1, ceil(kv_heads / s->tp)),
	    .head_dim = g->head_dim,
	    .layers = g->n_layers,
	    .ffn = g->ffn_dim / s->tp,
	    .shared = s->dp > 1 ? shared : shared / s->tp,
	    .attn = dtype_of_gemm(s, g->attn_format, g->attn_bits,
				  activation_bits_of(g)),
	    .dense = dtype_of_gemm(s, g->ffn_format, g->ffn_bits,
				   activation_bits_of(g)),
	    .has_attention = g->attention != SC_ATTN_NONE,
	    .is_mla = g->attention == SC_ATTN_MLA,
	    .is_linear = g->attention == SC_ATTN_LINEAR,
	    .is_sparse = sparse_is(g),
	    .has_gate = (flags_of(g) & SC_LAYER_OUTPUT_GATE) != 0,
	    .linear = linear_of(s, g),
	    .is_moe = g->ffn == SC_FFN_MOE,
	    .has_ffn = g->ffn != SC_FFN_NONE};
	return l;
}

/* ---- layers without kernels ---- */

/* The word for a layer that cannot be priced; NULL: it can. */
static const char *unpriced(const sc_layers *g)
{
	const uint32_t told = SC_LAYER_SPARSE | SC_LAYER_OUTPUT_GATE;
	sc_layers plain = *g;
	if (sc_unpriced(g))
		return sc_unpriced(g);
	if (!SC_HAS(g, state_bits)) /* from a host before it */
		return sc_unsupported(g);
	if (g->linear_kind == SC_LINEAR_MAMBA2 && !g->linear_chunk)
		return "Mamba-2 of unknown chunk size";
	if (g->state_bits && g->state_bits < 16)
		return "a recurrent state of less than 16 bits";
	if (g->flags & SC_LAYER_SPARSE && !sparse_is_known(g))
		return sc_unsupported(g);
	plain.flags &= ~told;
	if (g->o_lora_rank) /* other fields tell of DeepSeek-V4's layers */
		plain.flags &= ~SC_LAYER_OTHER;
	return sc_unsupported(&plain);
}

/* Refuses layers that no table has, or that lack sizes. */
static int32_t check(const struct inst *s, const sc_layers *g, uint32_t number,
		     sc_error *err)
{
	const char *name = s->setup->model->name;
	const char *lacks = unpriced(g);
	int linear = g->attention == SC_ATTN_LINEAR;
	if (lacks)
		return sc_fail(err, SC_EUNSUP,
			       "%s: cannot price its %u layers with %s: no "
			       "table has their kernels",
			       name, g->n_layers, lacks);
	if (g->attention != SC_ATTN_NONE && !linear && !g->n_heads)
		return sc_fail(err, SC_EINVAL,
			       "%s: layers of group %u have no heads", name,
			       number + 1);
	if (linear && (!g->linear_k_heads || !g->linear_k_dim ||
		       !g->linear_v_heads || !g->linear_v_dim))
		return sc_fail(err, SC_EINVAL,
			       "%s: layers of group %u have no state", name,
			       number + 1);
	if (g->ffn == SC_FFN_MOE &&
	    (!g->n_experts || !g->experts_per_token || !g->ffn_dim))
		return sc_fail(err, SC_EINVAL,
			       "%s: layers of group %u have no experts", name,
			       number + 1);
	return SC_OK;
}

/* ---- GEMMs ---- */

static void add_gemm(struct inst *s, uint32_t part, double count,
		     struct dtype dtype, double n, double k)
{
	for (uint32_t i = 0; i < s->n_gemms; i++) {
		struct gemm_call *c = &s->gemms[i];
		if (c->part == part && c->gemm.n == n && c->gemm.k == k &&
		    !strcmp(c->dtype, dtype.name)) {
			c->count += count;
			return;
		}
	}
	s->gemms[s->n_gemms++] = (struct gemm_call){gemm_for(s, dtype, n, k),
						    count, part, dtype.name};
}

static void add_dense(struct inst *s, uint32_t part, const struct local *l,
		      double width, int gated)
{
	double up = gated ? 2 * width : width;
	add_gemm(s, part, l->layers, l->dense, up, s->hidden);
	add_gemm(s, part, l->layers, l->dense, s->hidden, width);
}

static int32_t add_experts(struct inst *s, const struct local *l, sc_error *err)
{
	const sc_layers *g = l->g;
	const struct dtype router = {"bf16", SC_EXACT, 0};
	const struct sc_moe shape = {.hidden = s->hidden,
				     .inter = g->ffn_dim,
				     .experts = g->n_experts,
				     .topk = g->experts_per_token,
				     .tp = s->moe_tp,
				     .ep = s->ep};
	struct dtype dtype = dtype_of_moe(s, g->expert_format, g->expert_bits,
					  activation_bits_of(g));
	add_gemm(s, PART_ROUTER, l->layers, router, g->n_experts, s->hidden);
	struct moe_call *call = &s->moes[s->n_moes++];
	*call = (struct moe_call){
	    moe_for(s, dtype, routing_words[s->k.routing], &shape), l->layers};
	if (!moe_has_kernel(s, &call->moe, dtype.name))
		return sc_fail(err, SC_EUNSUP,
			       "expert_kernel = %s: no table has rows of it "
			       "for experts in %s",
			       expert_kernel_words[s->k.expert_kernel],
			       dtype.name);
	if (l->shared > 0)
		add_dense(s, PART_SHARED, l, l->shared, 1);
	return SC_OK;
}

/* ---- attention ---- */

static int32_t add_mla(struct inst *s, const struct local *l, sc_error *err)
{
	if (l->has_gate)
		add_gemm(s, PART_ATTENTION_GEMM, l->layers, l->attn,
			 l->heads * l->g->v_dim, s->hidden);
	for (uint32_t i = 0; i < s->n_mlas; i++) {
		const sc_layers *g = s->mlas[i].like;
		if (g->attn_format == l->g->attn_format &&
		    g->attn_bits == l->g->attn_bits &&
		    activation_bits_of(g) == activation_bits_of(l->g) &&
		    g->n_heads == l->g->n_heads &&
		    g->q_lora_rank == l->g->q_lora_rank) {
			s->mlas[i].count += l->layers;
			return SC_OK;
		}
	}
	struct mla_call *m = &s->mlas[s->n_mlas];
	m->count = l->layers;
	m->like = l->g;
	m->number = s->n_mlas++;
	return mla_for(s, l->g, l->heads, m, err);
}

/* What attention of prompts computes in. */
static const char *prefill_dtype(const struct inst *s, const char *kv)
{
	return s->k.fp8_attention && !strcmp(kv, "fp8") ? "fp8" : "bf16";
}

/* The kernel of a step with prompts, at the rates of the laws.  A factor on
 * decodes beside prompts asks for a sum. */
static int32_t set_launch(const struct inst *s, struct attention_call *a,
			  sc_error *err)
{
	const double *key = a->decode.key;
	const struct kernels *prompts = &a->prefill.by;
	const struct sc_oplaw *decodes = &a->decode.by.law;
	const sc_table *t = prompts->from ? prompts->from->set->any : NULL;
	uint32_t engine = sc_launch_simulated(s->setup);
	int64_t mixed = s->k.mixed;
	if (mixed == SC_LAUNCH_MIXED_AUTO && s->k.mixed_decode > 0)
		mixed = SC_LAUNCH_MIXED_SUM;
	if (s->k.engine != ENGINE_AUTO)
		engine = policy_engine(s->policy, s->engine)->code;
	a->launch = (struct sc_launch_call){
	    .launches = sc_launches_asked(mixed, s->setup, engine, t),
	    .kernel = {.heads = key[0],
		       .kv_heads = key[1],
		       .head_dim = key[2],
		       .window = a->window,
		       .cache_bytes = a->decode.by.least.cache_bytes,
		       .rate = prompts->law.c[1] * prompts->law.peak16,
		       .bandwidth = decodes->c[1] * decodes->bandwidth}};
	return sc_launch_open(&a->launch, s->setup) == SC_OK
		   ? SC_OK
		   : sc_fail(err, SC_ENOMEM, "out of memory");
}

static int32_t add_softmax(struct inst *s, const struct local *l, sc_error *err)
{
	const char *kv = dtype_of_cache(s->setup->model->kv_format);
	uint32_t kind = l->g->attention;
	/* Attention within chunks is full attention on less. */
	double window = kind == SC_ATTN_FULL ? 0 : l->g->window;
	const double key[4] = {l->heads, l->kv_heads, l->head_dim,
			       kind == SC_ATTN_WINDOW ? window : 0};
	add_gemm(s, PART_ATTENTION_GEMM, l->layers, l->attn,
		 (l->heads * (l->has_gate ? 2 : 1) + 2 * l->kv_heads) *
		     l->head_dim,
		 s->hidden);
	add_gemm(s, PART_ATTENTION_GEMM, l->layers, l->attn, s->hidden,
		 l->heads * l->head_dim);
	for (uint32_t i = 0; i < s->n_attentions; i++) {
		struct attention_call *a = &s->attentions[i];
		if (a->kind == kind && a->window == window &&
		    !memcmp(a->decode.key, key, sizeof key)) {
			a->count += l->layers;
			return SC_OK;
		}
	}
	struct attention_call *a = &s->attentions[s->n_attentions++];
	a->count = l->layers;
	a->kind = kind;
	a->window = window;
	a->decode = attention_for(s, SC_OPLAW_DECODE, "bf16", kv, key);
	a->prefill =
	    attention_for(s, SC_OPLAW_PREFILL, prefill_dtype(s, kv), kv, key);
	return set_launch(s, a, err);
}

/* ---- linear and sparse attention ---- */

static void add_linear_gemm(struct inst *s, const struct local *l,
			    struct dtype dtype, double n, double k)
{
	add_gemm(s, PART_ATTENTION_GEMM, l->layers, dtype, n, k);
}

/* The projections of a linear layer: queries, keys, values and gate, what
 * decays and updates the state, and the output. */
static void add_linear_gemms(struct inst *s, const struct local *l)
{
	const struct dtype exact = {"bf16", SC_EXACT, 0};
	const struct sc_linear *x = &l->linear;
	double k = x->k_heads * x->k_dim, v = x->v_heads * x->v_dim;
	int pairs = l->has_gate ? 1 : 2;
	if (x->family == SC_FAMILY_GDN) {
		add_linear_gemm(s, l, l->attn, 2 * k + 2 * v, s->hidden);
		add_linear_gemm(s, l, exact, fmax(2, 2 * x->v_heads),
				s->hidden);
	} else if (x->family == SC_FAMILY_MAMBA2) {
		add_linear_gemm(s, l, l->attn, 2 * v + 2 * k + x->v_heads,
				s->hidden);
	} else {
		add_linear_gemm(s, l, l->attn, 3 * v + x->v_heads, s->hidden);
		for (int i = 0; i < pairs; i++) {
			add_linear_gemm(s, l, l->attn, x->v_dim, s->hidden);
			add_linear_gemm(s, l, l->attn, v, x->v_dim);
		}
		if (l->has_gate)
			add_linear_gemm(s, l, l->attn, v, s->hidden);
	}
	add_linear_gemm(s, l, l->attn, s->hidden, v);
}

static int same_linear(const struct sc_linear *a, const struct sc_linear *b)
{
	return a->family == b->family && a->k_heads == b->k_heads &&
	       a->k_dim == b->k_dim && a->v_heads == b->v_heads &&
	       a->v_dim == b->v_dim && a->conv == b->conv &&
	       a->chunk == b->chunk;
}

static void add_linear(struct inst *s, const struct local *l)
{
	add_linear_gemms(s, l);
	for (uint32_t i = 0; i < s->n_linears; i++)
		if (same_linear(&s->linears[i].what, &l->linear)) {
			s->linears[i].count += l->layers;
			return;
		}
	s->linears[s->n_linears] =
	    linear_for(s, &l->linear, l->g->state_bits / 8.);
	s->linears[s->n_linears++].count = l->layers;
}

/* Hyper-connections mix the residual streams before and behind each of the two
 * blocks of a layer. */
static void add_streams(struct inst *s, const struct local *l)
{
	static const char *const kind[2] = {"pre", "post"};
	for (int i = 0; i < 2; i++) {
		if (s->mhc[i].count == 0)
			s->mhc[i].curve = mhc_for(s, kind[i], s->hidden,
						  s->number.mhc_streams);
		if (s->mhc[i].curve.from)
			s->mhc[i].count += 2 * l->layers;
	}
}

static int32_t add_sparse(struct inst *s, const struct local *l, sc_error *err)
{
	struct sparse_call c;
	int32_t rc = sparse_for(s, l->g, l->heads, &c, err);
	if (rc != SC_OK)
		return rc;
	if (c.what.family == SC_FAMILY_CSA)
		add_streams(s, l);
	for (uint32_t i = 0; i < s->n_sparses; i++) {
		struct sparse_call *is = &s->sparses[i];
		if (sc_mixer_same_key(&is->row_key, &c.row_key) &&
		    is->what.heads == c.what.heads &&
		    is->what.size.topk == c.what.size.topk &&
		    is->most_cached == c.most_cached) {
			is->count += l->layers;
			return SC_OK;
		}
	}
	c.count = l->layers;
	s->sparses[s->n_sparses++] = c;
	return SC_OK;
}

/* ---- small kernels: what no table has for all GPUs ---- */

/* Does its quantization cost a kernel beside the GEMM? */
static int quantizes(const struct inst *s, struct dtype d)
{
	return policy_engine(s->policy, s->engine)->quantizes_apart &&
	       policy_is_quantized(s->policy, d.name);
}

static void find_places(const struct inst *s, const struct local *l,
			int has[N_SMALL])
{
	int softmax =
	    l->has_attention && !l->is_mla && !l->is_linear && !l->is_sparse;
	int dense = l->has_ffn && !l->is_moe;
	has[SMALL_LAYER] = l->has_attention || l->has_ffn;
	has[SMALL_MLA] = l->is_mla && !l->is_sparse;
	has[SMALL_SOFTMAX] = softmax;
	has[SMALL_QK_NORM] = softmax && SC_HAS(l->g, flags) &&
			     (l->g->flags & SC_LAYER_QK_NORM) != 0;
	has[SMALL_GATE] = (softmax || has[SMALL_MLA]) && l->has_gate;
	has[SMALL_LINEAR] = l->is_linear;
	has[SMALL_SPARSE] = l->is_sparse;
	has[SMALL_QUANTIZED] = l->has_attention && quantizes(s, l->attn);
	has[SMALL_EXPERTS] = l->is_moe;
	has[SMALL_SHARED] = l->is_moe && l->shared > 0;
	has[SMALL_DENSE] = dense;
	has[SMALL_DENSE_QUANTIZED] = dense && quantizes(s, l->dense);
}

/* How many a layer has.  *bytes: of one token. */
static double small_of(const struct inst *s, const struct local *l,
		       double *bytes)
{
	const struct sc_linear *x = &l->linear;
	double heads = l->is_linear ? x->v_heads : l->heads, n = 0;
	double dim = l->is_linear ? x->v_dim
		     : l->is_mla  ? l->g->v_dim
				  : l->head_dim;
	double channels = 2 * x->k_heads * x->k_dim + 2 * x->v_heads * x->v_dim;
	double ffn = l->is_moe ? l->shared : l->ffn;
	int has[N_SMALL];
	find_places(s, l, has);
	*bytes = 0;
	for (int i = 0; i < N_SMALL; i++) {
		const struct small_row *r = &s->policy->small[i];
		if (!has[i])
			continue;
		n += r->kernels;
		*bytes += r->hidden * s->hidden + r->heads * heads * dim +
			  r->kv_heads * l->kv_heads * dim + r->ffn * ffn +
			  r->channels * channels;
	}
	return n;
}

/* ---- all of a layer ---- */

static double memory_us(const struct inst *s, double bytes)
{
	return bytes / (s->number.small_reached * s->rates.bandwidth);
}

/* All-reduces of a layer: after attention, after a dense FFN, and after
 * experts unless they gather and scatter. */
static double reduces_of(const struct inst *s, const struct local *l)
{
	double n = l->has_attention + (l->has_ffn && !l->is_moe);
	if (s->tp <= 1)
		return 0;
	return n + (l->is_moe && s->dp == 1);
}

/* A norm over the heads of all ranks needs their sums of squares. */
static double norm_reduces_of(const struct inst *s, const struct local *l)
{
	const uint32_t joint = SC_LAYER_QK_NORM | SC_LAYER_QK_NORM_ALL_HEADS;
	return s->tp > 1 && (flags_of(l->g) & joint) == joint;
}

static int32_t add_layers(struct inst *s, const sc_layers *g, sc_error *err)
{
	struct local l = local_of(s, g);
	int32_t rc = SC_OK;
	double bytes;
	if (l.is_sparse)
		rc = add_sparse(s, &l, err);
	else if (l.is_linear)
		add_linear(s, &l);
	else if (l.is_mla)
		rc = add_mla(s, &l, err);
	else if (l.has_attention)
		rc = add_softmax(s, &l, err);
	if (rc == SC_OK && l.is_moe)
		rc = add_experts(s, &l, err);
	else if (l.has_ffn)
		add_dense(s, PART_FFN, &l, l.ffn, g->ffn == SC_FFN_GATED);
	s->n_layers += l.layers;
	s->small_kernels += l.layers * small_of(s, &l, &bytes);
	s->small_us_per_token += l.layers * memory_us(s, bytes);
	s->n_reduces += l.layers * reduces_of(s, &l);
	s->n_norm_reduces += l.layers * norm_reduces_of(s, &l);
	s->n_exchanges += l.is_moe && s->dp > 1 ? l.layers : 0;
	return rc;
}

/* ---- between ranks ---- */

/* Ranks that wait for each other, and gathers of unlike sizes; over PCIe the
 * transfer itself outweighs that. */
static double gather_factor(const struct inst *s)
{
	return s->rates.link >= s->number.nvlink_bytes_us ? s->k.dp_gather : 1;
}

static void add_gathers(struct inst *s)
{
	static const char *const kind[2] = {"all_gather", "reduce_scatter"};
	for (int i = 0; i < 2; i++) {
		s->exchange[0][i] = collective_for(
		    s, kind[i], fmin(s->number.gather_ranks, s->tp * s->dp));
		s->exchange[0][i].factor *= gather_factor(s);
		s->exchange[1][i] = s->exchange[0][i];
	}
}

static void add_all_to_alls(struct inst *s, const struct sc_moe *shape)
{
	static const char *const kind[2] = {"dispatch", "combine"};
	static const char *const mode[2] = {"low_latency", "normal"};
	for (int mixed = 0; mixed < 2; mixed++)
		for (int i = 0; i < 2; i++) {
			const struct all_to_all e = {
			    .kind = kind[i],
			    .mode = mode[mixed],
			    .key = {s->tp * s->dp, shape->hidden,
				    shape->experts, shape->topk}};
			s->exchange[mixed][i] = all_to_all_for(s, &e);
		}
}

/* Decodes alone go by an all-to-all back end; prompts fill all ranks, so that
 * gathers serve them. */
static void add_by_phase(struct inst *s, const struct sc_moe *shape)
{
	static const char *const kind[2] = {"dispatch", "combine"};
	const struct numbers *n = &s->number;
	const double key[4] = {s->tp * s->dp, shape->hidden, shape->experts,
			       shape->topk};
	add_gathers(s);
	for (int i = 0; i < 2; i++)
		s->exchange[0][i] = all_to_all_of_decodes(s, kind[i], key);
	if (s->tp * s->dp > (double)s->k.node_gpus) {
		s->decode_net_us = n->decode_net_us;
		s->decode_net_us_per_token =
		    n->combine_bytes * s->hidden / n->ring_bytes_us;
	}
}

/* An all-reduce between machines: there and back over the network. */
static void add_net_reduce(struct inst *s)
{
	const struct numbers *n = &s->number;
	if (s->tp <= (double)s->k.node_gpus)
		return;
	s->reduce_net_us = 2 * n->reduce_net_us;
	s->reduce_net_us_per_token = 2 * 2 * s->hidden / n->ring_bytes_us;
}

static int32_t add_comm(struct inst *s, sc_error *err)
{
	const struct numbers *n = &s->number;
	int needs = s->tp > 1 || s->n_exchanges > 0 || s->pp > 1;
	if (needs && !(s->rates.link > 0))
		return sc_fail(err, SC_EINVAL,
			       "more than one rank, and hardware %s has no "
			       "link_bandwidth_gbs",
			       s->setup->hardware->name);
	if (s->tp > 1) {
		s->all_reduce = collective_for(s, NULL, s->tp);
		s->logits = s->all_reduce;
		s->logits.factor *= n->logits_gather;
		s->logits.least_unit_us *= n->logits_gather;
		add_net_reduce(s);
	}
	if (s->n_exchanges > 0 && s->k.moe_exchange == EXCHANGE_ALL_TO_ALL)
		add_all_to_alls(s, &s->moes[0].moe.shape);
	else if (s->n_exchanges > 0 && s->k.moe_exchange == EXCHANGE_BY_PHASE)
		add_by_phase(s, &s->moes[0].moe.shape);
	else if (s->n_exchanges > 0)
		add_gathers(s);
	if (s->pp > 1) {
		s->stage_us = s->pp * n->stage_latency_us;
		s->stage_us_per_token =
		    s->pp * 2 * s->hidden / (n->stage_reached * s->rates.link);
	}
	return SC_OK;
}

/* ---- the model ---- */

static int32_t take_calls(struct inst *s, sc_error *err)
{
	size_t n = s->setup->model->n_groups + (size_t)1;
	s->gemms = calloc(GEMMS_OF_LAYER * n, sizeof *s->gemms);
	s->moes = calloc(n, sizeof *s->moes);
	s->attentions = calloc(n, sizeof *s->attentions);
	s->mlas = calloc(n, sizeof *s->mlas);
	s->linears = calloc(n, sizeof *s->linears);
	s->sparses = calloc(n, sizeof *s->sparses);
	return s->gemms && s->moes && s->attentions && s->mlas && s->linears &&
		       s->sparses
		   ? SC_OK
		   : sc_fail(err, SC_ENOMEM, "out of memory");
}

int32_t layers_read(struct inst *s, sc_error *err)
{
	const sc_model *m = s->setup->model;
	int32_t rc = take_calls(s, err);
	for (uint32_t i = 0; rc == SC_OK && i < m->n_groups; i++)
		rc = check(s, m->group[i], i, err);
	for (uint32_t i = 0; rc == SC_OK && i < m->n_groups; i++)
		rc = add_layers(s, m->group[i], err);
	if (rc != SC_OK)
		return rc;
	s->has_mixers = s->n_linears + s->n_sparses > 0;
	s->head = gemm_for(s, dtype_of_gemm(s, m->head_format, m->head_bits, 0),
			   s->vocab / s->tp, s->hidden);
	s->logit_us = memory_us(s, 4 * s->vocab);
	return add_comm(s, err);
}
