/* moe.c -- Prices the routed experts of a layer on one rank: from the measured
 * shape, from splits of the same family around it, or from the nearest shapes.
 */
#include "price/moe.h"
#include <string.h>
#include "inst.h"
#include "read/missing_points.h"

enum { KEY_TP = 4, KEY_EP = 5, KEY_MATRICES = 6 };

/* Same family, the other way of splitting at 1, this one on both sides. */
static int between_splits(struct moe *m, const double key[SC_OPLAW_KEYS],
			  int split)
{
	const struct row_group *f = m->by.from;
	const struct sc_grid *below = NULL, *above = NULL;
	int other = split == KEY_EP ? KEY_TP : KEY_EP;
	if (key[other] != 1)
		return 0;
	for (uint32_t i = 0; i < f->n_grids; i++) {
		const struct sc_grid *is = &f->grid[i];
		double at = is->key[split];
		int family = is->key[other] == 1;
		for (int d = 0; d < KEY_TP; d++)
			family &= is->key[d] == key[d];
		if (family && at < key[split] &&
		    (!below || at > below->key[split]))
			below = is;
		if (family && at > key[split] &&
		    (!above || at < above->key[split]))
			above = is;
	}
	if (!below || !above)
		return 0;
	double t = log(key[split] / below->key[split]) /
		   log(above->key[split] / below->key[split]);
	sc_blend_add(&m->blend, below, 1 - t);
	sc_blend_add(&m->blend, above, t);
	return 1;
}

/* The nearest four, each asked at the same rows an expert. */
static void find_nearest(const struct inst *s, struct moe *m)
{
	const struct row_group *f = m->by.from;
	struct sc_near near = {0};
	double sum = 0;
	for (uint32_t i = 0; i < f->n_grids; i++) {
		struct sc_moe is = moe_shape_of(f->grid[i].key);
		if (is.matrices == m->shape.matrices)
			sc_near_keep(&near, &f->grid[i],
				     sc_moe_distance(&m->shape, &is));
	}
	for (uint32_t i = 0; i < near.n; i++)
		sum += moe_weight(&s->number, near.distance[i]);
	for (uint32_t i = 0; i < near.n; i++) {
		struct sc_moe is = moe_shape_of(near.of[i]->key);
		sc_blend_add(&m->blend, near.of[i],
			     moe_weight(&s->number, near.distance[i]) / sum);
		m->blend.part[i].x =
		    sc_logged_of(sc_moe_like_tokens(&m->shape, 1, &is));
	}
}

/* Marlin multiplies in 16 bits whatever the weights are, in tiles that few rows
 * of an expert do not fill. */
static void use_marlin(const struct inst *s, struct moe *m, const char *dtype)
{
	const struct sc_moe *x = &m->shape;
	if (s->k.mxfp4_kernel != MXFP4_KERNEL_MARLIN ||
	    strcmp(dtype, "w4a16_mxfp4"))
		return;
	m->marlin_us = s->number.marlin_start_us;
	m->marlin_rows = s->number.marlin_rows;
	m->marlin_row_us = 6 * x->hidden * (x->inter / x->tp) /
			   (s->number.marlin_reached * s->rates.peak[SC_BF16]);
}

static double marlin_us(const struct moe *m, double tokens)
{
	double rows = tokens * m->shape.topk / m->shape.ep;
	double used = fmin(rows, m->shape.experts / m->shape.ep);
	return m->marlin_us + m->marlin_row_us * (rows + m->marlin_rows * used);
}

/* DeepGEMM as vLLM 0.11 calls it fills every expert of the rank up to a tile,
 * with tokens or without, so a step reads the weights of them all. */
static void use_padding(const struct inst *s, struct moe *m, const char *dtype)
{
	const struct sc_moe *x = &m->shape;
	if (s->k.expert_kernel != EXPERT_KERNEL_PADDED ||
	    strcmp(dtype, "fp8_block"))
		return;
	m->padded_us = x->experts / x->ep * 3 * x->hidden * (x->inter / x->tp) /
		       (s->number.padded_reached * s->rates.bandwidth);
}

/* The texts that names of the chosen kernel have; NULL: any kernel. */
static const char *const *moe_kernels(const struct inst *s)
{
	static const char *const texts[][2] = {
	    [EXPERT_KERNEL_TRITON] = {"triton"},
	    [EXPERT_KERNEL_CUTLASS] = {"cutlass"},
	    [EXPERT_KERNEL_DEEPGEMM] = {"deepgemm"},
	    [EXPERT_KERNEL_TRTLLM] = {"trtllm", "moe_torch_flow_min_latency"},
	    [EXPERT_KERNEL_PADDED] = {"triton"},
	};
	return s->k.expert_kernel == EXPERT_KERNEL_AUTO
		   ? NULL
		   : texts[s->k.expert_kernel];
}

int moe_has_kernel(const struct inst *s, const struct moe *m, const char *dtype)
{
	return !moe_kernels(s) ||
	       (m->by.from && !strcmp(m->by.from->row_key.law.dtype, dtype));
}

struct moe moe_for(struct inst *s, struct dtype dtype, const char *routing,
		   const struct sc_moe *shape)
{
	const struct sc_op_key row_key = {.op = SC_OPLAW_MOE,
					  .dtype = dtype.name,
					  .routing = routing,
					  .kernels = moe_kernels(s)};
	double key[SC_OPLAW_KEYS] = {shape->hidden,  shape->inter,
				     shape->experts, shape->topk,
				     shape->tp,      shape->ep};
	struct moe m = {.by = kernels_for(s, &row_key, key, KEY_MATRICES),
			.shape = *shape};
	m.by.provenance = sc_worse(m.by.provenance, dtype.provenance);
	least_store(&m.by.least, dtype.bytes);
	use_marlin(s, &m, dtype.name);
	use_padding(s, &m, dtype.name);
	const struct sc_grid *own =
	    m.by.from ? row_group_find(m.by.from, key, KEY_MATRICES) : NULL;
	m.shape.matrices = own ? own->key[KEY_MATRICES]
			       : policy_matrices(s->policy, shape->hidden,
						 shape->experts, shape->topk);
	if (!m.by.from)
		return m;
	if (own) {
		sc_blend_add(&m.blend, missing_points_filled(s, m.by.from, own),
			     1);
		return m;
	}
	m.blend.provenance = SC_SUBSTITUTED;
	if (!between_splits(&m, key, KEY_EP) &&
	    !between_splits(&m, key, KEY_TP))
		find_nearest(s, &m);
	if (!m.blend.n)
		m.blend.provenance = SC_FALLBACK;
	return m;
}

struct answer moe_us(const struct moe *m, double tokens)
{
	double law = sc_oplaw_moe_us(&m->by.law, &m->shape, tokens);
	uint32_t provenance = sc_worse(m->by.provenance, m->blend.provenance);
	if (m->blend.n)
		law *= exp(sc_blend_at(&m->blend, (struct sc_logged){1, 0},
				       sc_logged_of(tokens), &provenance));
	if (m->marlin_row_us > 0 && law < marlin_us(m, tokens))
		return (struct answer){marlin_us(m, tokens), SC_FALLBACK};
	if (law < m->padded_us)
		return (struct answer){m->padded_us, SC_FALLBACK};
	const struct least *l = &m->by.least;
	return least_raise(
	    (struct answer){law, provenance},
	    sc_least_us(sc_work_moe(&m->shape, tokens, l->weight_bytes),
			l->peak, l->bandwidth, l->l2_bytes));
}
