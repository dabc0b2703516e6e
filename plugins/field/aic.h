/* plugins/field/aic.h -- AIConfigurator's pass of the Llama family: which
 * operators it has, and how large they are.  The caller
 * has the time of an operator: the speed of light (aic_sol) or measured tables.
 *
 * Source: ai-dynamo/aiconfigurator @ d2af06a, aic-core/src/aiconfigurator_core/
 * sdk (models/llama.py, operations, backends/base_backend.py), Apache-2.0.
 * Times in seconds; quotients of widths are integers. */
#ifndef FIELD_AIC_H
#define FIELD_AIC_H
#include "field.h"

#define AIC_LICENCE "Apache-2.0"
#define AIC_URL "https://github.com/ai-dynamo/aiconfigurator"

struct aic_system {
	double memory, peak, link; /* byte/s, FLOP/s of bf16, byte/s */
};
static const char *const *const aic_names[] = {
    (const char *const[]){"h100-sxm", "h100_sxm", NULL},
    (const char *const[]){"h200-sxm", "h200_sxm", NULL},
    (const char *const[]){"b200-sxm", "b200_sxm", NULL},
    (const char *const[]){"a100-80-sxm", "a100_sxm", NULL}};
static const struct aic_system aic_systems[] = {{3.35e12, 989e12, 450e9},
						{4.8e12, 989e12, 450e9},
						{7.7e12, 2250e12, 900e9},
						{2.039e12, 312e12, 300e9}};

struct aic_knobs {
	const char *gpu;
	int64_t hardware_from_file;
};

/* Where the time of a pass goes; seconds. */
struct aic_parts {
	double gemm, comm, memory;
};

struct aic {
	struct field_model m;
	struct aic_system sys;
	double heads, kv_heads; /* of a rank */
	/* Seconds; NaN: there is no answer. */
	double (*gemm)(const struct aic *a, double m, double n, double k);
	double (*prefill)(const struct aic *a, double batch, double fresh,
			  double cached);
	double (*decode)(const struct aic *a, double batch, double length);
	double (*all_reduce)(const struct aic *a, double elements);
	double (*memory)(const struct aic *a, double bytes);
	/* aic_rest(), if it is known already; or NULL */
	struct aic_parts (*rest)(const struct aic *a, double tokens,
				 double rows);
	void *own;
};

/* ---- the speed of light (SOL), which tables are compared with, too ---- */

static inline double aic_sol_gemm(const struct aic_system *s, double m,
				  double n, double k)
{
	return fmax(2 * m * n * k / s->peak,
		    2 * (m * k + n * k + m * n) / s->memory);
}

static inline double aic_sol_prefill(const struct aic_system *s, double heads,
				     double kv_heads, double dim, double batch,
				     double fresh, double cached)
{
	double all = fresh + cached;
	return fmax(2 * batch * (all * all - cached * cached) * heads * dim /
			s->peak,
		    (4 * batch * heads * fresh * dim +
		     2 * 2 * batch * kv_heads * all * dim) /
			s->memory);
}

/* length: with the new token. */
static inline double aic_sol_decode(const struct aic_system *s, double heads,
				    double kv_heads, double dim, double batch,
				    double length)
{
	double context = length - 1;
	return fmax(4 * batch * heads * dim * context / s->peak,
		    batch *
			(4 * heads * dim + 2 * kv_heads * context * dim * 2) /
			s->memory);
}

static inline double aic_sol_all_reduce(const struct aic_system *s, double tp,
					double elements)
{
	return 2 * elements * 2 / tp * (tp - 1) / s->link;
}

/* ---- a pass ---- */

/* All except attention and the LM head. */
static inline struct aic_parts aic_body(const struct aic *a, double tokens)
{
	const struct field_model *m = &a->m;
	double d = m->hidden, f = m->dense_ffn, tp = m->tp, n = m->layers;
	double q = floor(m->heads * m->head_dim / tp);
	double kv = 2 * m->head_dim * a->kv_heads;
	return (struct aic_parts){
	    .gemm =
		n * (a->gemm(a, tokens, q + kv, d) + a->gemm(a, tokens, d, q) +
		     a->gemm(a, tokens, floor(2 * f / tp), d) +
		     a->gemm(a, tokens, d, floor(f / tp))),
	    .comm = (2 * n + 1) * a->all_reduce(a, tokens * d),
	    .memory = a->memory(a, tokens * d * 2) +
		      n * (2 * a->memory(a, 8 * tokens * d) +
			   a->memory(a, tokens * floor(2 * f / tp) * 2 +
					    tokens * floor(f / tp) * 2))};
}

/* The LM head; rows: of logits. */
static inline double aic_head(const struct aic *a, double rows)
{
	return a->gemm(a, rows, floor(a->m.vocab / a->m.tp), a->m.hidden);
}

/* A pass without attention. */
static inline struct aic_parts aic_rest(const struct aic *a, double tokens,
					double rows)
{
	struct aic_parts r;
	if (a->rest)
		return a->rest(a, tokens, rows);
	r = aic_body(a, tokens);
	r.gemm += aic_head(a, rows);
	return r;
}
static inline double aic_sum(struct aic_parts r)
{
	return r.gemm + r.comm + r.memory;
}

/* What a context step adds beside attention, in all layers, once. */
static inline double aic_context_extra(const struct aic *a)
{
	const struct field_model *m = &a->m;
	double nb = a->heads * m->head_dim * 2,
	       kb = a->kv_heads * m->head_dim * 2;
	double extra = 2 * a->memory(a, nb + kb) + 2 * a->memory(a, kb);
	if (m->has_qk_norm)
		extra += 4 * a->memory(a, nb) + 4 * a->memory(a, kb);
	return m->layers * 1.1 * extra;
}

static inline double aic_prefill(const struct aic *a, double batch,
				 double fresh, double cached)
{
	return a->m.layers * a->prefill(a, batch, fresh, cached);
}

static inline double aic_decode(const struct aic *a, double batch,
				double length)
{
	return a->m.layers * a->decode(a, batch, length);
}

/* A step (ours): each chunk's attention by itself, decodes at their mean
 * length, one row of logits where both phases are in it.  Seconds; the parts
 * go to *out, those of both phases to decode if there is one. */
static inline double aic_step(const struct aic *a, const sc_step *step,
			      sc_result *out)
{
	struct field_sums t = field_sums_of(step);
	double rows = step->n_prefill && step->n_decode ? 1 : t.requests;
	struct aic_parts r = aic_rest(a, t.prompt + t.decodes, rows);
	double prefill = 0, decode = 0;
	for (uint32_t i = 0; i < step->n_prefill; i++)
		prefill += aic_prefill(a, 1, step->prefill_new[i],
				       step->prefill_ctx[i]);
	if (step->n_prefill)
		prefill += aic_context_extra(a);
	if (step->n_decode)
		decode =
		    aic_decode(a, t.decodes, floor(t.contexts / t.decodes) + 1);
	out->gemm_us[step->n_decode ? SC_DECODE : SC_PREFILL] = 1e6 * r.gemm;
	if (step->n_prefill)
		out->attention_us[SC_PREFILL] = 1e6 * prefill;
	if (step->n_decode)
		out->attention_us[SC_DECODE] = 1e6 * decode;
	out->comm_us = 1e6 * r.comm;
	out->overhead_us = 1e6 * r.memory;
	return aic_sum(r) + prefill + decode;
}

static inline int32_t aic_read(struct aic *a, const sc_setup *setup,
			       const struct aic_knobs *k, sc_error *err)
{
	struct field_model *m = &a->m;
	int32_t rc = field_read(m, setup, FIELD_TP, "AIConfigurator", err);
	if (rc != SC_OK)
		return rc;
	int i = field_gpu(aic_names, 4, setup, k->gpu, "AIConfigurator", err);
	if (i < 0)
		return SC_EUNSUP;
	if (m->weight_bytes != 2 || m->kv_bytes != 2 || m->act_bytes != 2 ||
	    m->tp > 8)
		return sc_fail(err, SC_EUNSUP,
			       "this AIConfigurator prices 16 bits everywhere, "
			       "and tensor parallelism up to 8");
	a->sys = aic_systems[i];
	if (k->hardware_from_file) {
		const sc_hardware *hw = setup->hardware;
		a->sys = (struct aic_system){hw->mem_bandwidth,
					     hw->peak_flops[SC_BF16],
					     hw->link_bandwidth};
	}
	a->heads = floor(m->heads / m->tp);
	a->kv_heads = ceil(m->kv_heads / m->tp);
	return SC_OK;
}
#endif
