/* plugins/field/field.h -- what the published cost models of this folder read
 * alike: the model in the few numbers that they know, the GPU by its name, and
 * refusals of what their origins do not price.
 *
 * A published model never guesses here.  Whoever sees a number may attribute it
 * to the origin, so whatever the origin does not know is refused in one
 * sentence.  Rules that are ours (how a step is told to a model that knows
 * phases only) are marked "ours" in the plugins' pages. */
#ifndef FIELD_H
#define FIELD_H
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "stepcost/fail.h"
#include "stepcost/format.h"
#include "stepcost/knob.h"
#include "stepcost/sum.h"

/* What a published model knows beside dense layers of full attention with a
 * gated FFN on one GPU. */
enum {
	FIELD_EXPERTS = 1,
	FIELD_SHARED = 2, /* shared experts beside the routed ones */
	FIELD_MLA = 4,
	FIELD_LINEAR = 8,
	FIELD_TP = 16,
	FIELD_PP = 32,
	FIELD_DP = 64,
	FIELD_EP = 128,
	FIELD_ANY_LAYERS = 256 /* it sees no layers at all */
};

/* Counts are doubles: they are factors.  A width is 0 where no layer has it. */
struct field_model {
	double layers, hidden, heads, kv_heads, head_dim, vocab;
	double moe_layers, dense_layers;
	double dense_ffn; /* width of a dense FFN */
	double experts, topk, expert_ffn;
	double n_shared, shared_ffn;               /* shared_ffn: of one */
	double q_rank, kv_rank, nope, rope, v_dim; /* of MLA */
	int has_qk_norm;
	/* bytes of a weight, an activation, a number of the KV cache */
	double weight_bytes, act_bytes, kv_bytes;
	double tp, pp, ep, dp;
};

/* Bytes by the name of a format, without its scales. */
static inline double field_bytes(uint32_t format)
{
	switch (format) {
	case SC_FP8:
	case SC_INT8:
		return 1;
	case SC_FP4:
	case SC_INT4:
		return 0.5;
	default:
		return format == SC_FP32 ? 4 : 2;
	}
}

/* Returns what the origin does not price in these layers; NULL: it prices all
 * of them. */
static inline const char *field_lacks(const sc_layers *g, unsigned knows)
{
	int other = SC_HAS(g, flags) &&
		    (g->flags & (SC_LAYER_SPARSE | SC_LAYER_OTHER)) != 0;
	if (other)
		return "attention or weights of a special kind";
	switch (g->attention) {
	case SC_ATTN_FULL:
		break;
	case SC_ATTN_MLA:
		if (!(knows & FIELD_MLA))
			return "latent attention (MLA)";
		break;
	case SC_ATTN_LINEAR:
		if (!(knows & FIELD_LINEAR))
			return "linear or state-space attention";
		break;
	case SC_ATTN_NONE:
		return "no attention";
	default:
		return "a window or chunks of attention";
	}
	if (g->ffn == SC_FFN_MOE && !(knows & FIELD_EXPERTS))
		return "a mixture of experts";
	if (g->ffn == SC_FFN_MOE && g->n_shared_experts &&
	    !(knows & FIELD_SHARED))
		return "shared experts";
	if (g->ffn != SC_FFN_MOE && g->ffn != SC_FFN_GATED)
		return "an FFN without a gate";
	return NULL;
}

static inline int32_t field_split(const sc_parallel *p, unsigned knows,
				  const char *who, sc_error *err)
{
	const struct {
		const char *what;
		uint32_t is;
		unsigned flag;
	} split[] = {{"tensor", p->tp, FIELD_TP},
		     {"pipeline", p->pp, FIELD_PP},
		     {"expert", p->ep, FIELD_EP},
		     {"data", p->dp, FIELD_DP}};
	for (int i = 0; i < 4; i++)
		if (split[i].is > 1 && !(knows & split[i].flag))
			return sc_fail(err, SC_EUNSUP,
				       "%s does not price %s parallelism", who,
				       split[i].what);
	return SC_OK;
}

static inline void field_add_layers(struct field_model *m, const sc_layers *g)
{
	m->layers += g->n_layers;
	if (g->attention != SC_ATTN_LINEAR) {
		m->heads = g->n_heads;
		m->kv_heads = g->n_kv_heads ? g->n_kv_heads : g->n_heads;
		m->head_dim = g->head_dim ? g->head_dim : m->hidden / m->heads;
		m->q_rank = g->q_lora_rank;
		m->kv_rank = g->kv_lora_rank;
		m->nope = g->qk_nope_dim;
		m->rope = g->qk_rope_dim;
		m->v_dim = g->v_dim;
	}
	if (g->ffn != SC_FFN_MOE) {
		m->dense_layers += g->n_layers;
		m->dense_ffn = g->ffn_dim;
		return;
	}
	m->moe_layers += g->n_layers;
	m->experts = g->n_experts;
	m->topk = g->experts_per_token;
	m->expert_ffn = g->ffn_dim;
	m->n_shared = g->n_shared_experts;
	m->shared_ffn = g->shared_ffn_dim;
}

/* Reads the model once.  who: the origin, for messages.  Layers of one kind
 * that differ in their widths are refused: the origins have one figure. */
static inline int32_t field_read(struct field_model *m, const sc_setup *s,
				 unsigned knows, const char *who, sc_error *err)
{
	const sc_model *is = s->model;
	const sc_parallel *p = s->parallel;
	memset(m, 0, sizeof *m);
	int32_t rc = field_split(p, knows, who, err);
	if (rc != SC_OK)
		return rc;
	m->hidden = is->hidden;
	m->vocab = is->vocab;
	m->tp = fmax(1, p->tp), m->pp = fmax(1, p->pp);
	m->ep = fmax(1, p->ep), m->dp = fmax(1, p->dp);
	m->kv_bytes = field_bytes(is->kv_format);
	m->act_bytes = 2;
	for (uint32_t i = 0; i < is->n_groups; i++) {
		const sc_layers *g = is->group[i];
		const char *lacks =
		    knows & FIELD_ANY_LAYERS ? NULL : field_lacks(g, knows);
		if (lacks)
			return sc_fail(err, SC_EUNSUP,
				       "%s does not price %s, as model %s has",
				       who, lacks, is->name);
		field_add_layers(m, g);
		m->weight_bytes = field_bytes(
		    g->ffn == SC_FFN_MOE ? g->expert_format : g->ffn_format);
		if (SC_HAS(g, activation_bits) && g->activation_bits)
			m->act_bytes = g->activation_bits / 8.;
		if (SC_HAS(g, flags) && (g->flags & SC_LAYER_QK_NORM))
			m->has_qk_norm = 1;
	}
	if (!(m->layers > 0))
		return sc_fail(err, SC_EINVAL, "model %s has no layers",
			       is->name);
	return SC_OK;
}

/* The sums of a step over its requests that most of these models ask for:
 * P, D, S and R of their papers. */
struct field_sums {
	double prompt, decodes, contexts, requests;
};
static inline struct field_sums field_sums_of(const sc_step *step)
{
	struct field_sums s = {.decodes = step->n_decode,
			       .contexts = (double)sc_decode_ctx_sum(step),
			       .requests =
				   (double)step->n_decode + step->n_prefill};
	for (uint32_t i = 0; i < step->n_prefill; i++)
		s.prompt += step->prefill_new[i];
	return s;
}

/* Tokens of the whole prompt of chunk i. */
static inline double field_prompt(const sc_step *step, uint32_t i)
{
	if (SC_HAS(step, prefill_prompt) && step->prefill_prompt)
		return step->prefill_prompt[i];
	return (double)step->prefill_ctx[i] + step->prefill_new[i];
}

/* The least and the greatest of a column of numbers below 2^31; n >= 1.  It
 * uses vectors by hand, as stepcost/sum.h does. */
typedef int32_t field_i32x4
    __attribute__((vector_size(16), aligned(4), may_alias));
static inline void field_extremes(const uint32_t *x, uint32_t n,
				  uint32_t *least, uint32_t *most)
{
	field_i32x4 low, high, v, less;
	uint32_t i = 4;
	*least = *most = x[0];
	if (n >= 4) {
		low = high = *(const field_i32x4 *)x;
		for (; i + 4 <= n; i += 4) {
			v = *(const field_i32x4 *)(x + i);
			less = v < low;
			low = (v & less) | (low & ~less);
			less = high < v;
			high = (v & less) | (high & ~less);
		}
		for (int k = 0; k < 4; k++) {
			uint32_t a = (uint32_t)low[k], b = (uint32_t)high[k];
			*least = a < *least ? a : *least;
			*most = b > *most ? b : *most;
		}
	}
	for (i = n >= 4 ? i : 1; i < n; i++) {
		*least = x[i] < *least ? x[i] : *least;
		*most = x[i] > *most ? x[i] : *most;
	}
}

/* The time, which the ABI wants to be positive: 1 us at least. */
static inline int32_t field_answer(sc_result *out, double us)
{
	out->exact_us = fmax(us, 1);
	out->total_us = out->exact_us;
	return SC_OK;
}

/* Defines create() of a plugin: its instance is a zeroed `type`, which
 * start(instance, setup, block, err) fills in.  start() returns SC_OK or what
 * sc_fail() returned; then destroy() frees what there is. */
#define FIELD_CREATE_WITH(type, start, destroy)                                \
	static int32_t create(void **inst, const sc_setup *setup,              \
			      const void *block, sc_error *err)                \
	{                                                                      \
		type *s = (type *)calloc(1, sizeof *s);                        \
		if (!s)                                                        \
			return sc_fail(err, SC_ENOMEM, "out of memory");       \
		int32_t rc = start(s, setup, block, err);                      \
		if (rc == SC_OK)                                               \
			*inst = s;                                             \
		else                                                           \
			destroy(s);                                            \
		return rc;                                                     \
	}
#define FIELD_CREATE(type, start) FIELD_CREATE_WITH(type, start, free)

/* Finds the row of a GPU: names[] are those of etc/hardware and of the origin,
 * each NULL-terminated.  knob: "" or the origin's name of another GPU.  Returns
 * -1 after sc_fail(). */
static inline int field_gpu(const char *const *const *names, int n,
			    const sc_setup *s, const char *knob,
			    const char *who, sc_error *err)
{
	const char *is = knob && *knob ? knob : s->hardware->name;
	for (int i = 0; i < n; i++)
		for (const char *const *name = names[i]; *name; name++)
			if (!strcasecmp(*name, is))
				return i;
	sc_fail(err, SC_EUNSUP,
		"%s has no constants of %s; knob gpu names another of its GPUs "
		"(%s, for example)",
		who, is, names[0][0]);
	return -1;
}

/* The two knobs that every one of them has (field_gpu()). */
#define FIELD_GPU_KNOBS(block)                                                 \
	SC_TEXT(block, gpu, "",                                                \
		"Another GPU of the origin's list. Empty: that of "            \
		"[hardware]."),                                                \
	    SC_BOOL(block, hardware_from_file, "false",                        \
		    "Peaks and bandwidths of [hardware] in place of the "      \
		    "origin's; the answer is then not the origin's.")
#endif
