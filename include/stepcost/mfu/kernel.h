/* stepcost/mfu/kernel.h -- header-only helper for plugins: the kernel() hook by
 * tables of MFU.  The time of a kernel is
 *
 *   FLOPs / (peak MFU)     gemm  2 m n k
 *   attention  4 H (dh + softmax) pairs / tp, where the query-key pairs are
 *              prefill  batch new (context + new / 2), or by causal_share
 *              decode   batch context
 *
 *   struct sc_mfu_pricing p = {.tables = &s->tables,
 *                              .rules = &s->rules,
 *                              .gemm_peak = peak,
 *                              .attention_peak = peak};
 *   return sc_mfu_price_kernel(&p, kernel, out, err);
 */
#ifndef SC_MFU_KERNEL_H
#define SC_MFU_KERNEL_H
#include "stepcost/mfu/lookup.h"

/* How a cost model prices an MFU that it looked up. */
struct sc_mfu_pricing {
	const struct sc_mfu_tables *tables;
	const struct sc_mfu_rules *rules;
	double gemm_peak, attention_peak; /* FLOP/s at MFU 1 */
	int softmax_flops; /* 1: attention FLOPs include the softmax */
	/* Share of the new * (cached + new) query-key pairs that is computed;
	 * 0: the pairs that the causal mask leaves. */
	double causal_share;
};

/* A lookup, and the FLOPs that it prices. */
struct sc_mfu_query {
	struct sc_mfu_answer from;
	double x, y, flops, peak;
};

static inline void sc_mfu_query_gemm(struct sc_mfu_query *to,
				     const struct sc_mfu_pricing *p,
				     const sc_kernel *q)
{
	double m = (double)q->m, n = (double)q->n, k = (double)q->k;
	to->from = sc_mfu_gemm_block(&p->tables->gemm, p->rules, k, n);
	to->y = m;
	to->flops = 2 * m * k * n;
	to->peak = p->gemm_peak;
}

static inline void sc_mfu_query_attention(struct sc_mfu_query *to,
					  const struct sc_mfu_pricing *p,
					  const sc_kernel *q)
{
	const uint32_t shape[3] = {
	    q->heads, q->kv_heads ? q->kv_heads : q->heads, q->head_dim};
	double tp = q->ranks ? q->ranks : 1;
	double batch = q->batch ? (double)q->batch : 1;
	double cached = (double)q->context, fresh = (double)q->new_tokens;
	double pairs = batch * cached;
	to->from = sc_mfu_shape_block(&p->tables->prefill, shape);
	to->y = cached;
	if (q->op == SC_OP_DECODE) {
		uint32_t how = to->from.how;
		to->from = sc_mfu_tp_block(&p->tables->decode, p->rules,
					   to->from.block->shape, (uint32_t)tp);
		to->from.how = sc_worse(how, to->from.how);
		to->x = batch;
	} else {
		to->y = cached + fresh;
		if (batch > 1) /* priced as prompts one by one */
			to->from.how = sc_worse(to->from.how, SC_SUBSTITUTED);
		pairs = batch * fresh *
			(p->causal_share > 0 ? to->y * p->causal_share
					     : cached + fresh / 2);
	}
	to->flops = 4.0 * q->heads *
		    (q->head_dim + (p->softmax_flops ? 1.0 : 0.0)) * pairs / tp;
	to->peak = p->attention_peak;
}

static inline void sc_mfu_used(sc_kernel_result *out,
			       const struct sc_mfu_block *b)
{
	const uint32_t *s = b->shape;
	if (s[2] == 0)
		snprintf(out->used, sizeof out->used, "k %u n %u", s[0], s[1]);
	else if (s[3] == 0)
		snprintf(out->used, sizeof out->used, "%u-%u-%u", s[0], s[1],
			 s[2]);
	else
		snprintf(out->used, sizeof out->used, "%u-%u-%u tp%u", s[0],
			 s[1], s[2], s[3]);
}

/* Appends the point of the row that answered a nearest lookup. */
static inline void sc_mfu_used_row(sc_kernel_result *out,
				   const struct sc_mfu_block *b,
				   const struct sc_mfu_row *r)
{
	size_t used = strlen(out->used), size = sizeof out->used - used;
	if (b->shape[2] == 0)
		snprintf(out->used + used, size, " m %.0f", r->y);
	else if (b->shape[3] == 0)
		snprintf(out->used + used, size, " length %.0f", r->y);
	else
		snprintf(out->used + used, size, " batch %.0f kv %.0f", r->x,
			 r->y);
}

/* Prices one kernel: latency_us = FLOPs / (peak * MFU); mfu as looked up. */
static inline int32_t sc_mfu_price_kernel(const struct sc_mfu_pricing *p,
					  const sc_kernel *q,
					  sc_kernel_result *out, sc_error *err)
{
	struct sc_mfu_query to = {.x = 1};
	if (q->op == SC_OP_GEMM)
		sc_mfu_query_gemm(&to, p, q);
	else if (q->op == SC_OP_PREFILL || q->op == SC_OP_DECODE)
		sc_mfu_query_attention(&to, p, q);
	else
		return sc_fail(err, SC_EUNSUP, "no table of this kernel");
	if (!to.from.block)
		return sc_fail(err, SC_ENODATA,
			       "attention_decode has no table for this shape");
	const struct sc_mfu_rules *rules = p->rules;
	struct sc_mfu mfu = sc_mfu_at(&to.from, rules, to.x, to.y);
	if (isnan(mfu.value))
		return sc_mfu_refuse_zero(rules->zero, err);
	out->mfu = mfu.value;
	out->provenance = mfu.how;
	out->latency_us = to.flops / (to.peak * mfu.value) * 1e6;
	sc_mfu_used(out, to.from.block);
	if (rules->lookup == SC_LOOKUP_NEAREST)
		sc_mfu_used_row(
		    out, to.from.block,
		    sc_mfu_row_answering(to.from.block, rules, to.x, to.y));
	return SC_OK;
}
#endif
