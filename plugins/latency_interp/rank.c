/* rank.c -- Says which kernels a step of the model runs on one rank. */
#include <math.h>
#include <stdlib.h>
#include "stepcost/fail.h"
#include "stepcost/kernel/floor.h"
#include "stepcost/log.h"
#include "stepcost/table.h"
#include "stepcost/kernel/unsupported.h"
#include "inst.h"

static int32_t check_layers(const sc_setup *setup, const sc_layers *g,
			    sc_error *err)
{
	const char *name = setup->model->name;
	if (g->attention == SC_ATTN_MLA)
		return sc_fail(err, SC_EUNSUP,
			       "%s: cannot price multi-head latent attention "
			       "(MLA); %s",
			       name, sc_elsewhere(setup->model));
	if (g->attention == SC_ATTN_LINEAR || g->attention == SC_ATTN_NONE)
		return sc_fail(
		    err, SC_EUNSUP,
		    "%s: cannot price layers without softmax attention; %s",
		    name, sc_elsewhere(setup->model));
	if (g->ffn == SC_FFN_MOE)
		return sc_fail(err, SC_EUNSUP,
			       "%s: cannot price a mixture of experts (MoE); "
			       "%s",
			       name, sc_elsewhere(setup->model));
	if (sc_unsupported(g))
		return sc_fail(err, SC_EUNSUP,
			       "%s: cannot price its %u layers with %s; %s",
			       name, g->n_layers, sc_unsupported(g),
			       sc_elsewhere(setup->model));
	if (g->attention != SC_ATTN_FULL)
		sc_log(
		    setup, SC_LOG_WARNING,
		    "latency_interp: %s: windowed attention is priced as full "
		    "attention on the window",
		    name);
	return SC_OK;
}

static int32_t make_gemm(struct inst *s, const sc_setup *setup, struct gemm *g,
			 double count, double n, double k, uint32_t format,
			 double bits, uint32_t activation_bits, sc_error *err)
{
	const double shape[3] = {ceil(n), ceil(k), 0};
	struct table_index *in;
	int32_t rc = need(s, setup, SC_OP_GEMM, format, &in, err);
	g->count = count;
	g->in = in;
	if (rc == SC_OK)
		rc = table_index_resolve(in, shape, s->tp, &g->at, err);
	g->at.stored = bits / 8;
	g->at.peak = sc_floor_multiplies(setup->hardware->peak_flops, format,
					 activation_bits) /
		     1e6;
	return rc;
}

static uint32_t activation_bits_of(const sc_layers *g)
{
	return SC_HAS(g, activation_bits) ? g->activation_bits : 0;
}

/* Fused: QKV is one GEMM, gate and up another. */
static int32_t add_gemms(struct inst *s, const sc_setup *setup,
			 const sc_layers *g, const double local[3],
			 sc_error *err)
{
	double d = setup->model->hidden, tp = s->tp, layers = g->n_layers;
	double qkv = (local[0] + 2 * local[1]) * local[2];
	double up = (g->ffn == SC_FFN_GATED ? 2 : 1) * ceil(g->ffn_dim / tp);
	const struct {
		double n, k;
		uint32_t format;
		double bits;
	} side[] = {{qkv, d, g->attn_format, g->attn_bits},
		    {d, local[0] * local[2], g->attn_format, g->attn_bits},
		    {up, d, g->ffn_format, g->ffn_bits},
		    {d, g->ffn_dim / tp, g->ffn_format, g->ffn_bits}};
	int32_t rc = SC_OK;
	for (int i = 0; rc == SC_OK && i < (g->ffn == SC_FFN_NONE ? 2 : 4); i++)
		rc = make_gemm(s, setup, &s->gemms[s->n_gemms++], layers,
			       side[i].n, side[i].k, side[i].format,
			       side[i].bits, activation_bits_of(g), err);
	return rc;
}

static int32_t add_layers(struct inst *s, const sc_setup *setup,
			  const sc_layers *g, sc_error *err)
{
	/* A rank that would get less than one kv head gets a copy of one. */
	const double local[3] = {ceil(g->n_heads / s->tp),
				 fmax(1, ceil(g->n_kv_heads / s->tp)),
				 g->head_dim};
	struct attention *a = &s->attentions[s->n_attentions++];
	int32_t rc = check_layers(setup, g, err);
	a->count = g->n_layers;
	a->window = g->attention == SC_ATTN_FULL ? 0 : g->window;
	if (rc == SC_OK)
		rc = table_index_resolve(s->prefill, local, s->tp, &a->prefill,
					 err);
	if (rc == SC_OK)
		rc = table_index_resolve(s->decode, local, s->tp, &a->decode,
					 err);
	if (rc == SC_OK)
		rc = set_launch(s, setup, a, err);
	if (rc == SC_OK)
		rc = add_gemms(s, setup, g, local, err);
	s->layers += g->n_layers;
	return rc;
}

static int32_t add_rest(struct inst *s, const sc_setup *setup, sc_error *err)
{
	const sc_model *m = setup->model;
	double bandwidth = s->decode->law.bandwidth;
	const double ranks[3] = {s->tp, 0, 0};
	int32_t rc = SC_OK;
	for (uint32_t i = 0; i < m->n_groups; i++) {
		const sc_layers *g = m->group[i];
		double ffn = g->ffn == SC_FFN_NONE ? 0 : g->ffn_dim;
		double q = (double)g->n_heads * g->head_dim;
		s->activation_us_per_token +=
		    g->n_layers * 2 *
		    (2.0 * m->hidden + (q + 3 * ffn) / s->tp) / bandwidth * 1e6;
	}
	s->logit_us_per_sequence = 4.0 * m->vocab / bandwidth * 1e6;
	s->all_reduce_bytes_per_token = 2.0 * m->hidden;
	if (s->k.lm_head)
		rc = make_gemm(s, setup, &s->head, 1, m->vocab / s->tp,
			       m->hidden, m->head_format, m->head_bits, 0, err);
	if (rc == SC_OK && s->tp > 1)
		rc = need(s, setup, SC_OP_ALL_REDUCE, SC_BF16, &s->all_reduce,
			  err);
	if (rc == SC_OK && s->tp > 1)
		rc = table_index_resolve(s->all_reduce, ranks, s->tp,
					 &s->reduce, err);
	return rc;
}

/* Tables of one GPU say nothing about another. */
static int32_t check_gpu(struct inst *s, const sc_setup *setup, sc_error *err)
{
	char why[256];
	const sc_table *t = setup->n_tables ? setup->table[0] : NULL;
	if (!t || !sc_table_of_other_gpu(t, setup->hardware, why, sizeof why))
		return SC_OK;
	if (!s->k.other_gpu)
		return sc_fail(err, SC_EUNSUP,
			       "%s (other_gpu = true prices it nevertheless)",
			       why);
	s->how = SC_SUBSTITUTED;
	sc_log(setup, SC_LOG_WARNING, "%s", why);
	return SC_OK;
}

int32_t fill(struct inst *s, const sc_setup *setup, sc_error *err)
{
	const sc_model *m = setup->model;
	s->tp = setup->parallel->tp;
	s->graph_max = s->k.pad_batch ? setup->engine->graph_max_tokens : 0;
	s->gemms = calloc(4 * (size_t)m->n_groups + 1, sizeof *s->gemms);
	s->attentions = calloc(m->n_groups + 1, sizeof *s->attentions);
	if (!s->gemms || !s->attentions)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	int32_t rc = check_gpu(s, setup, err);
	if (rc == SC_OK)
		rc = open_all(s, setup, err);
	if (rc == SC_OK)
		rc = need(s, setup, SC_OP_PREFILL, m->kv_format, &s->prefill,
			  err);
	if (rc == SC_OK)
		rc =
		    need(s, setup, SC_OP_DECODE, m->kv_format, &s->decode, err);
	for (uint32_t i = 0; rc == SC_OK && i < m->n_groups; i++)
		rc = add_layers(s, setup, m->group[i], err);
	return rc == SC_OK ? add_rest(s, setup, err) : rc;
}
