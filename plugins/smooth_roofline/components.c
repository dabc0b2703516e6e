/* components.c -- Sums the components of a model up: weights, attention,
 * experts, all-reduces, the LM head. */
#include <math.h>
#include "stepcost/fail.h"
#include "stepcost/log.h"
#include "stepcost/kernel/unsupported.h"
#include "inst.h"

static int32_t check_attention(const sc_layers *g, const sc_setup *setup,
			       const struct knobs *k, sc_error *err)
{
	const char *model = setup->model->name;
	if (sc_unsupported(g))
		return sc_fail(err, SC_EUNSUP,
			       "%s: cannot price its %u layers with %s; %s",
			       model, g->n_layers, sc_unsupported(g),
			       sc_elsewhere(setup->model));
	switch (g->attention) {
	case SC_ATTN_FULL:
		return SC_OK;
	case SC_ATTN_WINDOW:
	case SC_ATTN_CHUNK:
		if (g->window >= number.least_window_tokens)
			return SC_OK;
		if (!k->allow_extrapolation)
			return sc_fail(err, SC_EUNSUP,
				       "%s: sliding window of %u tokens: not "
				       "modelled (allow_extrapolation = true "
				       "prices context up to the window)",
				       model, g->window);
		sc_log(setup, SC_LOG_WARNING,
		       "smooth_roofline: extrapolating: windowed attention is "
		       "priced as full attention on the window");
		return SC_OK;
	case SC_ATTN_MLA:
		return sc_fail(err, SC_EUNSUP,
			       "%s: multi-head latent attention (MLA) is not "
			       "modelled; %s",
			       model, sc_elsewhere(setup->model));
	default:
		return sc_fail(err, SC_EUNSUP,
			       "%s: layers without softmax attention are not "
			       "modelled; %s",
			       model, sc_elsewhere(setup->model));
	}
}

/* Adds a component of `weights` parameters that every token meets. */
static void add_weights(struct inst *s, const struct rates *r, double weights,
			double bits, uint32_t format)
{
	double peak = format == SC_FP8 ? r->peak * r->fp8_gain * r->of.ec_fp8
				       : r->peak * r->of.ec;
	s->gemm_bytes_s +=
	    weights * bits / 8 / (r->tp * r->bandwidth * r->of.ew);
	s->gemm_flop_s += 2 * weights / (r->tp * peak);
}

static int served_in_fp8(const sc_layers *g, const struct knobs *k)
{
	static const struct {
		uint32_t experts, topk, shared;
	} served[] = {
#define SERVED_ROW(experts, topk, shared, source) {experts, topk, shared},
	    SERVED_IN_FP8(SERVED_ROW)};
	for (size_t i = 0; i < sizeof served / sizeof *served; i++)
		if (k->scout_experts == SCOUT_FP8 && g->expert_bits >= 16 &&
		    g->n_experts == served[i].experts &&
		    g->experts_per_token == served[i].topk &&
		    g->n_shared_experts == served[i].shared)
			return 1;
	return 0;
}

static void add_moe(struct inst *s, const struct rates *r,
		    const struct knobs *k, const sc_layers *g, double d)
{
	int fp8 = served_in_fp8(g, k);
	double bits = fp8 ? 8 : g->expert_bits;
	uint32_t format = fp8 ? SC_FP8 : g->expert_format;
	double n = g->n_layers, expert = n * 3 * d * g->ffn_dim;
	double peak = format == SC_FP8 ? r->peak * r->fp8_gain * r->of.emc_fp8
				       : r->peak * r->of.emc;
	add_weights(s, r, n * d * g->n_experts, g->attn_bits, g->attn_format);
	add_weights(s, r, n * 3 * d * g->shared_ffn_dim * g->n_shared_experts,
		    bits, format);
	s->moe[s->n_moe++] = (struct moe){
	    .experts = g->n_experts,
	    .topk = g->experts_per_token,
	    .miss = 1 - (double)g->experts_per_token / g->n_experts,
	    .bytes_s = expert * bits / 8 / (r->tp * r->bandwidth * k->emoe),
	    .flop_s = 2 * expert / (r->tp * peak)};
	s->moe_fixed_s += n * k->moel_us * 1e-6;
}

static void add_ffn(struct inst *s, const struct rates *r,
		    const struct knobs *k, const sc_layers *g, double d)
{
	double matrices = g->ffn == SC_FFN_GATED ? 3 : 2;
	if (g->ffn == SC_FFN_MOE)
		add_moe(s, r, k, g, d);
	else if (g->ffn != SC_FFN_NONE)
		add_weights(s, r, g->n_layers * matrices * d * g->ffn_dim,
			    g->ffn_bits, g->ffn_format);
}

static void add_attention(struct inst *s, const struct rates *r,
			  const sc_layers *g, const sc_model *m)
{
	double n = g->n_layers, d = m->hidden;
	double q = (double)g->n_heads * g->head_dim;
	double kv = (double)g->n_kv_heads * g->head_dim;
	double replicas = fmax(1, r->tp / g->n_kv_heads);
	double window = g->attention == SC_ATTN_FULL ? 0 : g->window;
	add_weights(s, r, n * (d * (q + 2 * kv) + q * d), g->attn_bits,
		    g->attn_format);
	struct reach *reach = s->reach;
	while (reach < s->reach + s->n_reach && reach->window != window)
		reach++;
	if (reach == s->reach + s->n_reach)
		s->n_reach++;
	double token_s = 2 * kv * replicas * n * m->kv_bits / 8 /
			 (r->tp * r->bandwidth * r->of.ekv);
	reach->window = window;
	reach->decode_s += token_s;
	reach->prefill_kv_s += token_s;
	reach->prefill_s += 4 * q * n / (r->tp * r->peak * r->of.ep);
}

/* Adds the bytes that norms, rotary embedding, KV writes, activations and
 * residuals of prompts move, in 16 bit.  Every rank computes whole norms. Those
 * of decodes are small enough to stay in the cache. */
static void add_elementwise(struct inst *s, const struct rates *r,
			    const struct knobs *k, const sc_layers *g, double d)
{
	double q = (double)g->n_heads * g->head_dim;
	double kv = (double)g->n_kv_heads * g->head_dim;
	double wide = g->ffn == SC_FFN_MOE
			  ? (double)g->experts_per_token * g->ffn_dim +
				(double)g->n_shared_experts * g->shared_ffn_dim
			  : g->ffn_dim;
	double elements = 6 * d + (2 * (q + 2 * kv) + 3 * wide) / r->tp;
	s->elementwise_s += k->pel * g->n_layers * 2 * elements / r->bandwidth;
}

/* Adds all all-reduces of a step, two per layer.  Messages up to custom_bytes
 * take the kernels of vLLM, if it has them for this number of ranks (arw 0: it
 * has none).  In one stage each rank reads the messages of all its peers.  In
 * two stages, for larger messages of more than 2 ranks, it reduces its share
 * and reads the shares of the others, which costs one more barrier.  Larger
 * messages take a ring.  Without links between all ranks, messages of more than
 * two ranks cross the host one after another. */
static void add_all_reduce(struct all_reduce *a, const struct rates *r,
			   const struct knobs *k, double layers, double d)
{
	double n = 2 * layers, tp = r->tp, message = 2 * d;
	double ring = message * 2 * (tp - 1) / tp, read = message * (tp - 1);
	double latency_us = k->ara_us + k->arl_us * fmax(0, log2(tp) - 1);
	int by_host = !r->has_links && tp > 2 && k->arh > 0;
	if (!(tp > 1))
		return;
	a->fixed_s[RING] = n * latency_us * 1e-6;
	a->token_s[RING] = by_host ? n * read / (r->link * k->arh)
				   : n * ring / (r->link * r->of.arb);
	if (by_host || !(r->of.arw > 0) || tp > number.custom_ranks ||
	    fmod(tp, 2) > 0)
		return;
	a->fixed_s[ONE_STAGE] = a->fixed_s[RING];
	a->token_s[ONE_STAGE] = n * read / (r->link * r->of.arw);
	a->fixed_s[TWO_STAGES] = n * (latency_us + k->art_us) * 1e-6;
	a->token_s[TWO_STAGES] = n * ring / (r->link * r->of.arw);
	a->ring_tokens = number.custom_bytes / message;
	a->two_stages_tokens = tp > 4   ? number.one_stage_bytes_more / message
			       : tp > 2 ? number.one_stage_bytes_4 / message
					: a->ring_tokens;
}

static void add_rest(struct inst *s, const struct rates *r,
		     const struct knobs *k, const sc_setup *setup,
		     double layers)
{
	const sc_model *m = setup->model;
	double logits = (double)m->vocab * m->hidden;
	double ec =
	    m->head_format == SC_FP8 ? r->fp8_gain * r->of.ec_fp8 : r->of.ec;
	int sampled = k->sampled == SAMPLED_ALL ||
		      setup->engine->sampling == SC_SAMPLING_TOP_P;
	s->head_bytes_s =
	    logits * m->head_bits / 8 / (r->tp * r->bandwidth * r->of.ew);
	s->head_flop_s = 2 * logits / (r->tp * r->peak * ec);
	s->sample_s = sampled ? k->csv * 4 * m->vocab / r->bandwidth : 0;
	s->sampling_s = s->sample_s * k->csq;
	s->host_s = (layers * k->cl_us + k->c0_us) * 1e-6;
	s->prefill_s = layers * k->ept_us * 1e-6;
	s->decode_s = layers * r->of.edt_us * 1e-6;
	s->tile_rows = (double)k->tile;
	s->empty_rows = k->etile;
	add_all_reduce(&s->all_reduce, r, k, layers, m->hidden);
	s->p = k->p;
	s->kvq = k->kvq;
	s->graph_max = setup->engine->graph_max_tokens;
	s->allow_extrapolation = k->allow_extrapolation;
}

int32_t fill(struct inst *s, const struct knobs *k, const sc_setup *setup,
	     sc_error *err)
{
	const sc_model *m = setup->model;
	struct rates r;
	double layers = 0;
	int fp8_scout = 0;
	int32_t rc = choose_rates(&r, k, setup, err);
	if (rc != SC_OK)
		return rc;
	for (uint32_t i = 0; i < m->n_groups; i++) {
		const sc_layers *g = m->group[i];
		rc = check_attention(g, setup, k, err);
		if (rc != SC_OK)
			return rc;
		add_attention(s, &r, g, m);
		add_ffn(s, &r, k, g, m->hidden);
		add_elementwise(s, &r, k, g, m->hidden);
		if (g->ffn == SC_FFN_MOE && served_in_fp8(g, k))
			fp8_scout = 1;
		layers += g->n_layers;
	}
	if (fp8_scout)
		sc_log(
		    setup, SC_LOG_INFO,
		    "smooth_roofline: Llama-4-Scout is priced with FP8 experts "
		    "(scout_experts = config: as its config says)");
	add_rest(s, &r, k, setup, layers);
	return SC_OK;
}
