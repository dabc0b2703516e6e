/* stepcost/mfu/instance.h -- header-only helper for plugins: what the roofline
 * by MFU tables (mfu/roofline.h) computes once, at create(): the GEMMs of the
 * model with the blocks that answer for them, the buckets of prefill, and the
 * block of decode.
 *
 *   GEMMs of a layer, k x n: Q d x q, K and V d x kv, O q x d,
 *                            gate and up d x ffn, down ffn x d
 *   buckets: bucket_min, twice that ... 65536 tokens
 *
 *   void *inst;
 *   int32_t rc = sc_mfu_create(&inst, setup, knobs, err);
 *   const struct sc_mfu_roofline *s = (const struct sc_mfu_roofline *)inst;
 *   s->kind[0].from.block                  answers for Q
 *   sc_mfu_destroy(inst);                  if rc is SC_OK
 */
#ifndef SC_MFU_INSTANCE_H
#define SC_MFU_INSTANCE_H
#include "stepcost/mfu/decode.h"

#define SC_MFU_KINDS 8u
#define SC_MFU_BUCKETS 17u
#define SC_MFU_TOP 65536.0 /* the largest bucket, tokens */

/* A GEMM of the model, M x k x n. */
struct sc_mfu_kind {
	double k, n, weight_bytes;
	struct sc_mfu_answer from;
	int head;  /* 1: once per step, not once per layer */
	int again; /* 1: an earlier kind has the same shape */
};

struct sc_mfu_bucket {
	double top; /* tokens */
	struct sc_mfu mfu;
};

struct sc_mfu_roofline;

/* Parts of a price that a plugin replaces; NULL: the function of mfu/roofline.h
 * that is named behind it.  They return seconds on each rank and answer for one
 * phase, SC_PREFILL or SC_DECODE.  Their lookups are counted in the tally
 * (sc_mfu_count, sc_mfu_bound); attention may set its FLOPs there, else they
 * are those of the knobs. */
struct sc_mfu_hooks {
	/* sc_mfu_gemms: all GEMMs with m rows; count: 1 if the phase has not
	 * counted these shapes yet */
	double (*gemms)(struct sc_mfu_roofline *s, double m, int phase,
			int count, struct sc_mfu_tally *tally);
	/* sc_mfu_decode_attention, sc_mfu_prefill_attention */
	double (*decode_attention)(struct sc_mfu_roofline *s,
				   const sc_step *step, const struct sc_load *l,
				   struct sc_mfu_tally *tally);
	double (*prefill_attention)(struct sc_mfu_roofline *s,
				    const sc_step *step,
				    struct sc_mfu_tally *tally);
	/* sc_mfu_memory: the bytes of a phase */
	double (*memory)(const struct sc_mfu_roofline *s,
			 const struct sc_load *l, double n_decode, int phase);
	/* sc_mfu_mix: how much of each phase's time counts */
	struct sc_mix (*mix)(const struct sc_mfu_roofline *s,
			     const struct sc_phase phase[2],
			     const struct sc_load load[2]);
	/* sc_mfu_host: us */
	struct sc_host_us (*host)(struct sc_mfu_roofline *s,
				  const sc_step *step);
};

struct sc_mfu_roofline {
	struct sc_mfu_knobs k;
	struct sc_mfu_hooks hooks;
	struct sc_mfu_rules rules[2]; /* by SC_PREFILL, SC_DECODE */
	struct sc_mfu_zero zero;      /* of the last call */
	struct sc_dense m;
	struct sc_discounts discounts;
	struct sc_host_costs host;
	struct sc_mfu_tables tables;
	struct sc_mfu_answer prefill_from;
	struct sc_mfu_decode decode;
	struct sc_mfu_kind kind[SC_MFU_KINDS];
	uint32_t n_kinds, n_buckets;
	struct sc_mfu_bucket bucket[SC_MFU_BUCKETS];
	double bandwidth;    /* byte/s, bw_efficiency included */
	double weight_bytes; /* LM head included, if it is priced */
	/* Attention FLOPs per row and token of length, all layers. */
	double att_per_token;
	double gemm_flops_per_row; /* of all ranks and layers */
	/* The part of the compute that one rank has, by SC_PREFILL, SC_DECODE:
	 * 1 / tp^exponent. */
	double gemm_share[2], attention_share[2];
};

static inline void sc_mfu_add_kind(struct sc_mfu_roofline *s, double k,
				   double n, double bytes, int head)
{
	struct sc_mfu_kind *kind = &s->kind[s->n_kinds++];
	*kind = (struct sc_mfu_kind){
	    .k = k,
	    .n = n,
	    .weight_bytes = k * n * bytes,
	    .from = sc_mfu_gemm_block(&s->tables.gemm, s->rules, k, n),
	    .head = head};
	s->gemm_flops_per_row += 2 * k * n * (head ? 1 : s->m.layers);
	for (struct sc_mfu_kind *other = s->kind; other < kind; other++)
		kind->again |= other->k == k && other->n == n;
}

static inline void sc_mfu_add_kinds(struct sc_mfu_roofline *s)
{
	const struct sc_dense *m = &s->m;
	double d = m->hidden, a = m->attn_bytes, f = m->ffn_bytes;
	sc_mfu_add_kind(s, d, m->q_dim, a, 0);
	sc_mfu_add_kind(s, d, m->kv_dim, a, 0);
	sc_mfu_add_kind(s, d, m->kv_dim, a, 0);
	sc_mfu_add_kind(s, m->q_dim, d, a, 0);
	sc_mfu_add_kind(s, d, m->ffn, f, 0);
	sc_mfu_add_kind(s, d, m->ffn, f, 0);
	sc_mfu_add_kind(s, m->ffn, d, f, 0);
	if (s->k.lm_head)
		sc_mfu_add_kind(s, d, m->vocab, m->head_bytes, 1);
}

static inline void sc_mfu_say_substitutes(const struct sc_mfu_roofline *s,
					  const sc_setup *setup)
{
	const struct sc_mfu_block *p = s->prefill_from.block;
	const struct sc_mfu_block *d = s->decode.from.block;
	const struct sc_dense *m = &s->m;
	char noted[384] = "";
	for (uint32_t i = 0; i < s->n_kinds; i++)
		if (!s->kind[i].again)
			sc_mfu_note_gemm(noted, sizeof noted, s->kind[i].k,
					 s->kind[i].n, s->kind[i].from.block);
	sc_mfu_say_gemms(setup, noted);
	if (p->shape[0] != m->heads || p->shape[1] != m->kv_heads ||
	    p->shape[2] != m->head_dim)
		sc_log(setup, SC_LOG_WARNING,
		       "no attention of shape %g-%g-%g was measured: %u-%u-%u "
		       "is used",
		       m->heads, m->kv_heads, m->head_dim, p->shape[0],
		       p->shape[1], p->shape[2]);
	if (d->shape[3] != m->tp)
		sc_log(setup, SC_LOG_WARNING,
		       "no decode attention %u-%u-%u of tp %g was measured: tp "
		       "%u is used",
		       d->shape[0], d->shape[1], d->shape[2], m->tp,
		       d->shape[3]);
}

static inline int32_t sc_mfu_use_attention(struct sc_mfu_roofline *s,
					   sc_error *err)
{
	const uint32_t shape[3] = {(uint32_t)s->m.heads,
				   (uint32_t)s->m.kv_heads,
				   (uint32_t)s->m.head_dim};
	s->prefill_from = sc_mfu_shape_block(&s->tables.prefill, shape);
	const sc_numbers *edges = s->k.kv_bucket_edges;
	const uint32_t *has = s->prefill_from.block->shape;
	struct sc_mfu_answer decode = sc_mfu_tp_block(
	    &s->tables.decode, s->rules, has, (uint32_t)s->m.tp);
	if (!decode.block)
		return sc_fail(err, SC_ENODATA,
			       "attention_decode has no table for %u-%u-%u%s",
			       has[0], has[1], has[2],
			       s->k.missing_tp == SC_TP_NEAREST ? "" : " tp 1");
	if (memcmp(has, shape, sizeof shape))
		decode.how = SC_SUBSTITUTED;
	if (sc_mfu_decode_new(&s->decode, decode, &s->rules[SC_DECODE]) !=
	    SC_OK)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	s->decode.nearest = s->k.kv_bucket_round == SC_KV_NEAREST;
	if (s->k.decode_attention_mfu == SC_DECODE_KV_BUCKET &&
	    sc_mfu_decode_edges(&s->decode, edges ? edges->value : NULL,
				edges ? edges->n : 0) != SC_OK)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	return SC_OK;
}

static inline void sc_mfu_set_buckets(struct sc_mfu_roofline *s)
{
	double top = (double)s->k.bucket_min;
	while (top < SC_MFU_TOP && s->n_buckets < SC_MFU_BUCKETS - 1) {
		s->bucket[s->n_buckets++].top = top;
		top *= 2;
	}
	s->bucket[s->n_buckets++].top = SC_MFU_TOP;
	for (uint32_t i = 0; i < s->n_buckets; i++)
		s->bucket[i].mfu =
		    sc_mfu_at(&s->prefill_from, s->rules, 1, s->bucket[i].top);
}

/* The rules of both phases differ in one constant. */
static inline void sc_mfu_set_rules(struct sc_mfu_roofline *s)
{
	const struct sc_mfu_knobs *k = &s->k;
	double softmax = k->softmax_flops ? 0 : 1, dh = s->m.head_dim;
	s->rules[0] = (struct sc_mfu_rules){.lookup = k->lookup,
					    .missing_tp = k->missing_tp,
					    .zero_mfu = k->zero_mfu,
					    .missing_cell = k->missing_cell,
					    .mfu_digits = k->mfu_digits,
					    .v1_attention = k->v1_vector_peak *
							    dh / (dh + softmax),
					    .zero = &s->zero};
	s->rules[1] = s->rules[0];
	s->rules[SC_PREFILL].v1_gemm = k->v1_mfu_prefill;
	s->rules[SC_DECODE].v1_gemm = k->v1_mfu_decode;
}

static inline void sc_mfu_set_shares(struct sc_mfu_roofline *s)
{
	const double exponent[2] = {s->k.tp_scaling_exponent,
				    s->k.decode_tp_scaling_exponent};
	for (int i = 0; i < 2; i++) {
		double power = exponent[i] > 0 ? exponent[i] : 1;
		s->gemm_share[i] = 1 / pow(s->m.tp, power);
		s->attention_share[i] = s->k.attention_tp == SC_ATTENTION_KEEP
					    ? 1
					    : s->gemm_share[i];
	}
}

static inline void sc_mfu_set_constants(struct sc_mfu_roofline *s)
{
	const struct sc_mfu_knobs *k = &s->k;
	const struct sc_dense *m = &s->m;
	s->discounts =
	    (struct sc_discounts){.kv_one = k->kv_read_discount_decode,
				  .kv_many = k->kv_read_discount_prefill,
				  .act_one = k->activation_discount_decode,
				  .act_many = k->activation_discount_prefill};
	s->host = (struct sc_host_costs){
	    .t_overhead_us = k->t_overhead_us,
	    .allreduce_latency_us = k->allreduce_latency_us,
	    .prefill_overhead_us = k->prefill_overhead_us,
	    .mixed_prefill_overhead_us = k->mixed_prefill_overhead_us};
	s->bandwidth =
	    m->bandwidth * (k->bw_efficiency > 0 ? k->bw_efficiency : 1);
	s->weight_bytes =
	    m->weight_bytes + (k->lm_head ? m->head_weight_bytes : 0);
	double softmax = k->softmax_flops ? 4 * m->heads : 0;
	s->att_per_token = (4 * m->heads * m->head_dim + softmax) * m->layers;
}

/* Refuses knobs that do not fit together. */
static inline int32_t sc_mfu_check_knobs(const struct sc_mfu_knobs *k,
					 sc_error *err)
{
	const sc_numbers *edges = k->kv_bucket_edges;
	for (uint32_t i = 0; edges && i < edges->n; i++)
		if (!(edges->value[i] > (i ? edges->value[i - 1] : 0)))
			return sc_fail(err, SC_EUNSUP,
				       "kv_bucket_edges: %g: edges are "
				       "positive and ascending",
				       edges->value[i]);
	if (k->decode_attention_flops == SC_FLOPS_BUCKET &&
	    k->decode_attention_mfu != SC_DECODE_KV_BUCKET)
		return sc_fail(err, SC_EUNSUP,
			       "decode_attention_flops = bucket needs "
			       "decode_attention_mfu = kv_bucket");
	if (k->lookup == SC_LOOKUP_NEAREST && k->missing_tp == SC_TP_NEAREST)
		return sc_fail(err, SC_EINVAL,
			       "missing_tp = nearest needs lookup = linear or "
			       "log_linear");
	return SC_OK;
}

/* Fills in the parts of a zeroed instance.  The caller frees it in any case. */
static inline int32_t sc_mfu_set_up(struct sc_mfu_roofline *s,
				    const sc_setup *setup,
				    const struct sc_mfu_knobs *k, sc_error *err)
{
	s->k = *k;
	int32_t rc = sc_mfu_check_knobs(k, err);
	if (rc == SC_OK)
		rc = sc_dense_of(&s->m, setup, err);
	if (rc != SC_OK)
		return rc;
	sc_mfu_set_rules(s);
	sc_mfu_set_shares(s);
	rc = sc_mfu_load_tables(&s->tables, setup, s->m.format, s->rules, err);
	if (rc == SC_OK)
		rc = sc_mfu_use_attention(s, err);
	if (rc != SC_OK)
		return rc;
	sc_mfu_set_constants(s);
	sc_mfu_add_kinds(s);
	sc_mfu_set_buckets(s);
	sc_mfu_say_substitutes(s, setup);
	return SC_OK;
}

static inline void sc_mfu_destroy(void *inst)
{
	struct sc_mfu_roofline *s = (struct sc_mfu_roofline *)inst;
	if (!s)
		return;
	sc_mfu_free_tables(&s->tables);
	sc_mfu_decode_free(&s->decode);
	free(s);
}

/* The plugin's own data follow the instance in memory, aligned for any type. */
#define SC_MFU_OWN_AT ((sizeof(struct sc_mfu_roofline) + 15) / 16 * 16)
static inline void *sc_mfu_own(const struct sc_mfu_roofline *s)
{
	return (char *)(uintptr_t)s + SC_MFU_OWN_AT;
}

/* knobs: struct sc_mfu_knobs, or a struct that begins with it.  hooks are
 * copied; NULL: none.  own: bytes of the plugin's own data, zeroed, which
 * sc_mfu_own() returns and sc_mfu_destroy() frees. */
static inline int32_t sc_mfu_create_with(void **inst, const sc_setup *setup,
					 const void *knobs,
					 const struct sc_mfu_hooks *hooks,
					 size_t own, sc_error *err)
{
	struct sc_mfu_roofline *s =
	    (struct sc_mfu_roofline *)calloc(1, SC_MFU_OWN_AT + own);
	if (!s)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	if (hooks)
		s->hooks = *hooks;
	int32_t rc =
	    sc_mfu_set_up(s, setup, (const struct sc_mfu_knobs *)knobs, err);
	if (rc == SC_OK)
		*inst = s;
	else
		sc_mfu_destroy(s);
	return rc;
}

static inline int32_t sc_mfu_create(void **inst, const sc_setup *setup,
				    const struct sc_mfu_knobs *k, sc_error *err)
{
	return sc_mfu_create_with(inst, setup, k, NULL, 0, err);
}
#endif
