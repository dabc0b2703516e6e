/* stepcost/dense.h -- header-only helper for plugins: a dense decoder (Llama
 * and similar models) in the few numbers that a roofline needs.  A model that
 * these numbers cannot express is refused by name. */
#ifndef SC_DENSE_H
#define SC_DENSE_H
#include <math.h>
#include <string.h>
#include "stepcost/fail.h"
#include "stepcost/format.h"
#include "stepcost/kernel/unsupported.h"

/* Counts are doubles because they are factors of FLOP and byte counts, exact
 * below 2^53.  Where head_dim is hidden / heads, GEMM shapes and attention use
 * it rounded down and byte counts use it exactly, because the published cost
 * models do so.  A head_dim that the model sets itself is used as it is in
 * both. */
struct sc_dense {
	double layers, hidden, heads, kv_heads, head_dim, ffn, vocab;
	double q_dim, kv_dim; /* width of all query heads; of all key heads */
	double kv_width;      /* kv_heads * head_dim in byte counts */
	double weight_bytes;  /* of the layers, without embedding and LM head */
	double head_weight_bytes;                 /* of the LM head */
	double attn_bytes, ffn_bytes, head_bytes; /* per weight */
	double kv_bytes, act_bytes;               /* per element */
	double peak;      /* FLOP/s in the model's number format */
	double bandwidth; /* byte/s */
	double tp, inv_tp;
	uint32_t format; /* SC_*, of computing */
	uint32_t window; /* longest context it prices; UINT32_MAX: any */
};

/* Returns what a roofline cannot price in a layer group, for a message; NULL:
 * it can price all of it. */
static inline const char *sc_dense_lacks(const sc_layers *g)
{
	switch (g->attention) {
	case SC_ATTN_FULL:
	case SC_ATTN_WINDOW:
	case SC_ATTN_CHUNK:
		break;
	case SC_ATTN_MLA:
		return "latent attention (MLA)";
	case SC_ATTN_LINEAR:
		return sc_unpriced(g) ? sc_unpriced(g)
				      : "linear or state-space attention";
	default:
		return "no attention";
	}
	switch (g->ffn) {
	case SC_FFN_GATED:
		return g->n_heads ? sc_unsupported(g) : "no heads";
	case SC_FFN_MOE:
		return "a mixture of experts (MoE)";
	case SC_FFN_PLAIN:
		return "an FFN without a gate";
	default:
		return "no FFN";
	}
}

static inline int32_t sc_dense_groups(struct sc_dense *m, const sc_model *is,
				      sc_error *err)
{
	const sc_layers *first = is->n_groups ? is->group[0] : NULL;
	if (!first)
		return sc_fail(err, SC_EINVAL, "model %s has no layers",
			       is->name);
	m->window = UINT32_MAX;
	for (uint32_t i = 0; i < is->n_groups; i++) {
		const sc_layers *g = is->group[i];
		const char *lacks = sc_dense_lacks(g);
		if (lacks)
			return sc_fail(
			    err, SC_EUNSUP,
			    "model %s: cannot price its %u layers with %s; %s",
			    is->name, g->n_layers, lacks, sc_elsewhere(is));
		if (g->n_heads != first->n_heads ||
		    g->n_kv_heads != first->n_kv_heads ||
		    g->head_dim != first->head_dim ||
		    g->ffn_dim != first->ffn_dim ||
		    g->attn_bits != first->attn_bits ||
		    g->ffn_bits != first->ffn_bits)
			return sc_fail(err, SC_EUNSUP,
				       "model %s: cannot price layers of "
				       "different shapes",
				       is->name);
		m->layers += g->n_layers;
		if (g->attention != SC_ATTN_FULL && g->window &&
		    g->window < m->window)
			m->window = g->window;
	}
	return SC_OK;
}

static inline void sc_dense_shape(struct sc_dense *m, const sc_model *is)
{
	const sc_layers *g = is->group[0];
	m->hidden = is->hidden;
	m->vocab = is->vocab;
	m->heads = g->n_heads;
	m->kv_heads = g->n_kv_heads ? g->n_kv_heads : g->n_heads;
	m->ffn = g->ffn_dim ? g->ffn_dim : 4.0 * is->hidden;
	uint32_t usual = is->hidden / g->n_heads;
	m->head_dim = g->head_dim ? g->head_dim : usual;
	int own = m->head_dim != usual;
	m->q_dim = own ? m->heads * m->head_dim : m->hidden;
	m->kv_dim = m->kv_heads * m->head_dim;
	m->kv_width = m->kv_heads * (own ? m->head_dim : m->hidden / m->heads);
	m->attn_bytes = g->attn_bits / 8;
	m->ffn_bytes = g->ffn_bits / 8;
	m->head_bytes = is->head_bits / 8;
	double attention =
	    m->hidden * (m->q_dim + 2 * m->kv_width) + m->q_dim * m->hidden;
	double ffn = 3 * m->hidden * m->ffn;
	m->weight_bytes =
	    (attention * m->attn_bytes + ffn * m->ffn_bytes) * m->layers;
	m->head_weight_bytes = m->hidden * m->vocab * m->head_bytes;
	m->kv_bytes = is->kv_bits / 8;
	m->act_bytes = sc_format_bytes(is->compute_format);
}

static inline int32_t sc_dense_of(struct sc_dense *m, const sc_setup *setup,
				  sc_error *err)
{
	const sc_model *is = setup->model;
	const sc_hardware *hw = setup->hardware;
	*m = (struct sc_dense){0};
	int32_t rc = sc_dense_groups(m, is, err);
	if (rc != SC_OK)
		return rc;
	if (setup->parallel->pp > 1)
		return sc_fail(err, SC_EUNSUP,
			       "cannot price pipeline parallelism; use plugin "
			       "= operators");
	sc_dense_shape(m, is);
	m->format = is->compute_format;
	m->peak = hw->peak_flops[is->compute_format % 16];
	m->bandwidth = hw->mem_bandwidth;
	m->tp = setup->parallel->tp ? setup->parallel->tp : 1;
	m->inv_tp = 1 / m->tp;
	if (!(m->peak > 0))
		return sc_fail(err, SC_EUNSUP,
			       "hardware %s has no peak rate for %s", hw->name,
			       sc_format_name(is->compute_format));
	if (!(m->bandwidth > 0))
		return sc_fail(err, SC_EINVAL,
			       "hardware %s has no memory bandwidth", hw->name);
	return SC_OK;
}

static inline uint32_t sc_longest_decode(const sc_step *step)
{
	uint32_t longest = 0;
	for (uint32_t i = 0; i < step->n_decode; i++)
		if (step->decode_ctx[i] > longest)
			longest = step->decode_ctx[i];
	return longest;
}

/* Returns the longest context of a step: of a decode before the step, of a
 * prompt after it. */
static inline uint64_t sc_longest(const sc_step *step)
{
	uint64_t longest = sc_longest_decode(step);
	for (uint32_t i = 0; i < step->n_prefill; i++) {
		uint64_t end =
		    (uint64_t)step->prefill_ctx[i] + step->prefill_new[i];
		longest = end > longest ? end : longest;
	}
	return longest;
}

/* Returns SC_EUNSUP if the step has attention beyond a window or verifies more
 * than one token per decode request, because a roofline prices neither. */
static inline int32_t sc_dense_step(const struct sc_dense *m,
				    const sc_step *step, sc_error *err)
{
	uint64_t longest = m->window == UINT32_MAX ? 0 : sc_longest(step);
	if (longest > m->window)
		return sc_fail(err, SC_EUNSUP,
			       "cannot price a context of %llu tokens with an "
			       "attention window of %u; use plugin = operators",
			       (unsigned long long)longest, m->window);
	for (uint32_t i = 0; step->decode_new && i < step->n_decode; i++)
		if (step->decode_new[i] != 1)
			return sc_fail(err, SC_EUNSUP,
				       "cannot price %u tokens verified per "
				       "decode request",
				       step->decode_new[i]);
	return SC_OK;
}
#endif
