/* stepcost/mfu_roofline.h -- header-only helper for plugins: the roofline whose
 * efficiency comes from measured MFU tables, with every defect that was
 * reported of it as a named switch.  roofline_v2 is this and nothing else; a
 * plugin that changes one thing of it includes it and sets that.  Formulas and
 * reports: plugins/roofline_v2/roofline_v2.md.
 *
 * A knob block is struct sc_mfu_knobs, or a struct that begins with it; its
 * knob table begins with SC_MFU_KNOBS. */
#ifndef SC_MFU_ROOFLINE_H
#define SC_MFU_ROOFLINE_H
#include "stepcost/knob.h"
#include "stepcost/mfu.h"
#include "stepcost/roofline.h"
#include "stepcost/seen.h"

/* ---- knobs ---- */

enum { SC_ROWS_TOKENS, SC_ROWS_REQUESTS };
enum { SC_LENGTH_ACTUAL, SC_LENGTH_BUCKET, SC_LENGTH_HYBRID };
enum { SC_KEY_TOTAL, SC_KEY_NEW };
enum { SC_FLOPS_SUM, SC_FLOPS_MAX };
enum sc_decode_mfu {
	SC_DECODE_MAX,
	SC_DECODE_WEIGHTED,
	SC_DECODE_PER_REQUEST,
	SC_DECODE_KV_BUCKET,
	SC_DECODE_HARMONIC /* of mfu_per_request */
};
enum { SC_GEMM_ONCE, SC_GEMM_BY_LAYER };
enum { SC_MIXED_MAX, SC_MIXED_SUM, SC_MIXED_ADAPTIVE, SC_MIXED_SMOOTH };
enum { SC_MEMORY_SINGLE, SC_MEMORY_HYBRID };
enum { SC_OVERHEAD_PER_LAYER, SC_OVERHEAD_BATCH_SCALED, SC_OVERHEAD_NONE };

struct sc_mfu_knobs {
	int64_t lookup, missing_tp, zero_mfu, missing_cell, mfu_digits;
	int64_t prefill_gemm_rows, prefill_attention_rows;
	int64_t prefill_attention_length, bucket_key, bucket_min;
	double causal_mask, prefill_attention_divisor;
	int64_t softmax_flops;
	int64_t decode_attention_flops, decode_attention_mfu;
	int64_t gemm_memory_floor, gemm_sum, lm_head;
	int64_t mixed;
	double bw_efficiency, decode_bw_efficiency, prefill_bw_efficiency;
	int64_t memory;
	double weight_bw_efficiency, kv_bw_efficiency, kv_bw_gain, kv_bw_batch;
	double kv_read_discount_decode, kv_read_discount_prefill;
	double activation_discount_decode, activation_discount_prefill;
	int64_t overhead;
	double cpu_overhead_per_layer_us, t_overhead_us, allreduce_latency_us;
	double prefill_overhead_us, mixed_prefill_overhead_us;
	double min_step_us;
};

#define SC_MFU_WORDS(name, ...)                                                \
	static const char *const sc_word_##name[] = {__VA_ARGS__, NULL}
SC_MFU_WORDS(lookup, "nearest", "linear");
SC_MFU_WORDS(missing_tp, "auto", "nearest", "one");
SC_MFU_WORDS(zero_mfu, "nearest", "first", "latency");
SC_MFU_WORDS(missing_cell, "zero", "drop");
SC_MFU_WORDS(mfu_digits, "3", "full");
SC_MFU_WORDS(rows, "tokens", "requests");
SC_MFU_WORDS(length, "actual", "bucket", "hybrid");
SC_MFU_WORDS(bucket_key, "total", "new");
SC_MFU_WORDS(decode_flops, "sum", "max");
SC_MFU_WORDS(gemm_sum, "once", "by_layer");
SC_MFU_WORDS(mixed, "max", "sum", "adaptive", "smooth");
SC_MFU_WORDS(memory, "single", "hybrid");
SC_MFU_WORDS(overhead, "per_layer", "batch_scaled", "none");

#define SC_MFU_CHOICE(field, def, words, help)                                 \
	SC_CHOICE(struct sc_mfu_knobs, field, def, sc_word_##words, help)
#define SC_MFU_BOOL(field, def, help)                                          \
	SC_BOOL(struct sc_mfu_knobs, field, def, help)
#define SC_MFU_DOUBLE(field, def, min, max, unit, help)                        \
	SC_DOUBLE(struct sc_mfu_knobs, field, def, min, max, unit, help)

#define SC_MFU_KNOBS                                                           \
	SC_MFU_CHOICE(lookup, "linear", lookup,                                \
		      "How tables answer between measured points; nearest is " \
		      "the reviewed code, which the V2 review called jumpy."), \
	    SC_MFU_CHOICE(                                                     \
		missing_tp, "auto", missing_tp,                                \
		"Decode table for a tp that was not measured: the "            \
		"nearest tp's, or tp 1's as H28-H33 ran; auto: nearest "       \
		"with lookup linear, one with lookup nearest."),               \
	    SC_MFU_CHOICE(                                                     \
		zero_mfu, "nearest", zero_mfu,                                 \
		"What stands in for an MFU that reads as 0: the "              \
		"nearest non-zero row (18.7 times too fast at batch 1, "       \
		"kv 1024), the first one, or the cell's own latency; "         \
		"found by redoing H33."),                                      \
	    SC_MFU_CHOICE(                                                     \
		missing_cell, "drop", missing_cell,                            \
		"A hole in the decode grid counts as MFU 0, as the "           \
		"published code has it, or drops out with its weight; "        \
		"found by redoing H33."),                                      \
	    SC_MFU_CHOICE(                                                     \
		mfu_digits, "full", mfu_digits,                                \
		"MFU rounded to the 3 digits of the published columns, "       \
		"or in full from latency_us."),                                \
	    SC_MFU_CHOICE(                                                     \
		prefill_gemm_rows, "tokens", rows,                             \
		"Rows M of prefill GEMMs: new tokens, or requests, a "         \
		"bug that the V2 review reported."),                           \
	    SC_MFU_CHOICE(                                                     \
		prefill_attention_rows, "tokens", rows,                        \
		"Query rows of prefill attention: new tokens, or one "         \
		"per request, a bug that the V2 review reported."),            \
	    SC_MFU_CHOICE(                                                     \
		prefill_attention_length, "actual", length,                    \
		"Length that prefill attention is priced at: the "             \
		"request's, its bucket's top (H29 measured up to twice "       \
		"the time), or the bucket at most and 64 at least "            \
		"(H29's option C)."),                                          \
	    SC_MFU_CHOICE(                                                     \
		bucket_key, "total", bucket_key,                               \
		"A prefill falls into a bucket by cached and new tokens "      \
		"or by new ones only, as the V2 review proposed."),            \
	    SC_INT(                                                            \
		struct sc_mfu_knobs, bucket_min, "512", 1, 65536, "token",     \
		"Smallest prefill bucket; smaller ones are H29's option A."),  \
	    SC_MFU_DOUBLE(                                                     \
		causal_mask, "1", 1e-3, 1, "1",                                \
		"Share of prefill attention left by the causal mask: "         \
		"0.5 as the V2 review proposed, with divisor 1."),             \
	    SC_MFU_DOUBLE(                                                     \
		prefill_attention_divisor, "1.8", 1e-3, 1e3, "1",              \
		"Prefill attention FLOPs are divided by it: an "               \
		"empirical 1.8 in place of the mask, 11 % too slow at "        \
		"every measured point."),                                      \
	    SC_MFU_BOOL(softmax_flops, "false",                                \
			"Count softmax among the attention FLOPs, though the " \
			"tables' MFU does not; the V2 review took it out."),   \
	    SC_MFU_CHOICE(                                                     \
		decode_attention_flops, "sum", decode_flops,                   \
		"Decode attention FLOPs: each request's own, or batch "        \
		"times the longest, 13 times too many at batch 16 "            \
		"(H28)."),                                                     \
	    SC_MFU_BOOL(                                                       \
		gemm_memory_floor, "true",                                     \
		"A GEMM takes at least the time to read its weights; "         \
		"absent before the fix of decode GEMMs at small batch."),      \
	    SC_MFU_CHOICE(                                                     \
		gemm_sum, "once", gemm_sum,                                    \
		"Sum a layer's GEMMs once, or add each of them layer "         \
		"by layer as older code did: the last bits differ."),          \
	    SC_MFU_BOOL(                                                       \
		lm_head, "false",                                              \
		"Price the LM head, a GEMM per step and its weights; no "      \
		"published version does, as the V2 review noted."),            \
	    SC_MFU_CHOICE(                                                     \
		mixed, "max", mixed,                                           \
		"A step of both phases: the slower phase, their sum, "         \
		"or a weighted mean, with thresholds or smooth; "              \
		"asked in H27."),                                              \
	    SC_MFU_DOUBLE(                                                     \
		bw_efficiency, "0", 0, 1, "1",                                 \
		"Share of the peak memory bandwidth reached; 0: all; "         \
		"0.82 in the tables of H28 and H33."),                         \
	    SC_MFU_DOUBLE(decode_bw_efficiency, "0", 0, 1, "1",                \
			  "The same for decode memory time alone; 0: as "      \
			  "bw_efficiency; from the V2 plan review."),          \
	    SC_MFU_DOUBLE(prefill_bw_efficiency, "0", 0, 1, "1",               \
			  "The same for prefill memory time alone; 0: as "     \
			  "bw_efficiency; from the V2 plan review."),          \
	    SC_MFU_CHOICE(                                                     \
		memory, "single", memory,                                      \
		"One bandwidth for all bytes, or one for weights and "         \
		"one for the KV cache that grows with the decode batch "       \
		"(V2 plan review)."),                                          \
	    SC_MFU_DOUBLE(                                                     \
		weight_bw_efficiency, "0.9", 1e-3, 1, "1",                     \
		"Share of the bandwidth for weights, memory hybrid."),         \
	    SC_MFU_DOUBLE(kv_bw_efficiency, "0.4", 1e-3, 1, "1",               \
			  "Share of it for the KV cache, memory hybrid."),     \
	    SC_MFU_DOUBLE(                                                     \
		kv_bw_gain, "0.3", 0, 1, "1",                                  \
		"What a full decode batch adds to kv_bw_efficiency."),         \
	    SC_MFU_DOUBLE(kv_bw_batch, "64", 1e-3, 1e6, "request",             \
			  "The decode batch that counts as full for it."),     \
	    SC_MFU_DOUBLE(                                                     \
		kv_read_discount_decode, "0.80", 0, 1, "1",                    \
		"Share of the cached KV bytes that one new token "             \
		"reads; 1: the V2 review's doubt about the discount."),        \
	    SC_MFU_DOUBLE(kv_read_discount_prefill, "0.92", 0, 1, "1",         \
			  "The same for several new tokens."),                 \
	    SC_MFU_DOUBLE(                                                     \
		activation_discount_decode, "0.75", 0, 1, "1",                 \
		"Share of the activation bytes that one new token "            \
		"moves; 1: the V2 review's doubt about the discount."),        \
	    SC_MFU_DOUBLE(activation_discount_prefill, "0.85", 0, 1, "1",      \
			  "The same for several new tokens."),                 \
	    SC_MFU_CHOICE(                                                     \
		overhead, "per_layer", overhead,                               \
		"Host time: a constant per layer; growing with the "           \
		"batch and with all-reduces, as in roofline_v1; none."),       \
	    SC_MFU_DOUBLE(                                                     \
		cpu_overhead_per_layer_us, "0", 0, 1e6, "us",                  \
		"Host time per layer, shared by tp; 100 in the tables "        \
		"of H28 and H33."),                                            \
	    SC_MFU_DOUBLE(                                                     \
		t_overhead_us, "500", 0, 1e9, "us",                            \
		"Host time of a small step, overhead batch_scaled."),          \
	    SC_MFU_DOUBLE(                                                     \
		allreduce_latency_us, "20", 0, 1e9, "us",                      \
		"Time of an all-reduce, overhead batch_scaled; two per "       \
		"layer if tp > 1."),                                           \
	    SC_MFU_DOUBLE(                                                     \
		prefill_overhead_us, "500", 0, 1e9, "us",                      \
		"Host time per prefill request in a step of prefills "         \
		"alone, overhead batch_scaled."),                              \
	    SC_MFU_DOUBLE(mixed_prefill_overhead_us, "150", 0, 1e9, "us",      \
			  "Host time per prefill request in a mixed step, "    \
			  "overhead batch_scaled."),                           \
	    SC_MFU_DOUBLE(                                                     \
		min_step_us, "1", 0, 1e9, "us",                                \
		"A step takes at least this long after rounding; the "         \
		"reviewed code could return 0.")

/* ---- the instance ---- */

#define SC_MFU_KINDS 8u
#define SC_MFU_BUCKETS 17u
#define SC_MFU_TOP 65536.0 /* the largest bucket, tokens */

/* A GEMM of the model, M x k x n. */
struct sc_mfu_kind {
	double k, n, weight_bytes;
	struct sc_mfu_answer from;
	int head;  /* once a step, not once a layer */
	int again; /* of the shape of an earlier kind */
};

struct sc_mfu_bucket {
	double top; /* tokens */
	struct sc_mfu mfu;
};

/* A span of kv lengths over which the decode MFU is one linear piece: a point
 * of the kv axis, what lies between two, or what lies outside. */
struct sc_mfu_span {
	double low, slope, base; /* MFU = base + slope * (kv - low)  */
	uint32_t how;
	int each; /* not so here: look up each request */
	int bent; /* so here, but what is summed is kv / MFU */
	/* of the step: */
	uint32_t shapes;   /* distinct kv                          */
	double kv, moment; /* sums of kv and of kv * (kv - low); bent: of
			      kv / MFU */
};

struct sc_mfu_roofline {
	struct sc_mfu_knobs k;
	struct sc_mfu_rules rules;
	struct sc_dense m;
	struct sc_discounts discounts;
	struct sc_host_costs host;
	struct sc_mfu_table gemm, prefill, decode;
	struct sc_mfu_answer prefill_from, decode_from;
	struct sc_mfu_kind kind[SC_MFU_KINDS];
	uint32_t n_kinds, n_buckets;
	struct sc_mfu_bucket bucket[SC_MFU_BUCKETS];
	double bandwidth;     /* with bw_efficiency, byte/s */
	double weight_bytes;  /* with the LM head, if priced */
	double att_per_token; /* attention FLOPs of a row and token of length,
				 all layers */
	/* scratch of a step */
	struct sc_seen seen;
	struct sc_mfu_point *point; /* [decode ny] */
	struct sc_mfu_span *span;   /* [2 * ny + 1]: below, on 0, between 0
				       and 1, on 1, ... above */
	uint32_t octave[33];        /* points of the kv axis at or below 2^i */
};

/* Lookups of one phase. */
struct sc_mfu_tally {
	uint32_t n[SC_N_PROVENANCE];
	double seconds[SC_N_PROVENANCE];
};

static inline void sc_mfu_count(struct sc_mfu_tally *t, uint32_t how,
				uint32_t shapes, double seconds)
{
	t->n[how] += shapes;
	t->seconds[how] += seconds;
}

/* ---- create ---- */

static inline void sc_mfu_add_kind(struct sc_mfu_roofline *s, double k,
				   double n, double bytes, int head)
{
	struct sc_mfu_kind *kind = &s->kind[s->n_kinds++];
	*kind = (struct sc_mfu_kind){
	    .k = k,
	    .n = n,
	    .weight_bytes = k * n * bytes,
	    .from = sc_mfu_gemm_block(&s->gemm, &s->rules, k, n),
	    .head = head};
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
	const struct sc_mfu_block *d = s->decode_from.block;
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
		       "answers",
		       m->heads, m->kv_heads, m->head_dim, p->shape[0],
		       p->shape[1], p->shape[2]);
	if (d->shape[3] != m->tp)
		sc_log(setup, SC_LOG_WARNING,
		       "no decode attention %u-%u-%u of tp %g was measured: tp "
		       "%u answers",
		       d->shape[0], d->shape[1], d->shape[2], m->tp,
		       d->shape[3]);
}

static inline int32_t sc_mfu_use_attention(struct sc_mfu_roofline *s,
					   sc_error *err)
{
	const uint32_t shape[3] = {(uint32_t)s->m.heads,
				   (uint32_t)s->m.kv_heads,
				   (uint32_t)s->m.head_dim};
	s->prefill_from = sc_mfu_shape_block(&s->prefill, shape);
	const uint32_t *has = s->prefill_from.block->shape;
	s->decode_from =
	    sc_mfu_tp_block(&s->decode, &s->rules, has, (uint32_t)s->m.tp);
	if (!s->decode_from.block)
		return sc_fail(err, SC_ENODATA,
			       "attention_decode has no table for %u-%u-%u%s",
			       has[0], has[1], has[2],
			       s->rules.missing_tp == SC_TP_NEAREST ? ""
								    : " tp 1");
	if (memcmp(has, shape, sizeof shape))
		s->decode_from.how = SC_SUBSTITUTED;
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
		    sc_mfu_at(&s->prefill_from, &s->rules, 1, s->bucket[i].top);
}

static inline int32_t sc_mfu_set_scratch(struct sc_mfu_roofline *s)
{
	const struct sc_mfu_block *b = s->decode_from.block;
	for (uint32_t i = 0; i <= 32; i++)
		while (s->octave[i] < b->ny &&
		       b->y[s->octave[i]] <= ldexp(1, (int)i))
			s->octave[i]++;
	s->point = calloc(b->ny, sizeof *s->point);
	s->span = calloc(2 * (size_t)b->ny + 1, sizeof *s->span);
	if (sc_seen_new(&s->seen) != SC_OK || !s->point || !s->span)
		return SC_ENOMEM;
	return SC_OK;
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

static inline int32_t sc_mfu_load_tables(struct sc_mfu_roofline *s,
					 const sc_setup *setup, sc_error *err)
{
	const sc_table *decode = sc_table_of(setup, "attention_decode");
	int by_model = decode && sc_column(decode, "model_heads");
	uint32_t format = s->m.format;
	int32_t rc = sc_mfu_load(&s->gemm, setup, &sc_mfu_gemm_columns, format,
				 &s->rules, err);
	if (rc == SC_OK)
		rc = sc_mfu_load(&s->prefill, setup, &sc_mfu_prefill_columns,
				 format, &s->rules, err);
	if (rc == SC_OK)
		rc = sc_mfu_load(&s->decode, setup,
				 by_model ? &sc_mfu_decode_columns
					  : &sc_mfu_decode_rank_columns,
				 format, &s->rules, err);
	return rc;
}

/* The instance's parts, zeroed before.  To be freed in any case. */
static inline int32_t sc_mfu_set_up(struct sc_mfu_roofline *s,
				    const sc_setup *setup,
				    const struct sc_mfu_knobs *k, sc_error *err)
{
	s->k = *k;
	s->rules = (struct sc_mfu_rules){k->lookup, k->missing_tp, k->zero_mfu,
					 k->missing_cell, k->mfu_digits};
	if (k->lookup == SC_LOOKUP_NEAREST && k->missing_tp == SC_TP_NEAREST)
		return sc_fail(err, SC_EINVAL,
			       "missing_tp = nearest needs lookup = linear");
	int32_t rc = sc_dense_of(&s->m, setup, err);
	if (rc == SC_OK)
		rc = sc_mfu_load_tables(s, setup, err);
	if (rc == SC_OK)
		rc = sc_mfu_use_attention(s, err);
	if (rc != SC_OK)
		return rc;
	sc_mfu_set_constants(s);
	sc_mfu_add_kinds(s);
	sc_mfu_set_buckets(s);
	sc_mfu_say_substitutes(s, setup);
	if (sc_mfu_set_scratch(s) != SC_OK)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	return SC_OK;
}

static inline void sc_mfu_destroy(void *inst)
{
	struct sc_mfu_roofline *s = inst;
	if (!s)
		return;
	sc_mfu_free(&s->gemm);
	sc_mfu_free(&s->prefill);
	sc_mfu_free(&s->decode);
	sc_seen_free(&s->seen);
	free(s->point);
	free(s->span);
	free(s);
}

static inline int32_t sc_mfu_create(void **inst, const sc_setup *setup,
				    const struct sc_mfu_knobs *k, sc_error *err)
{
	struct sc_mfu_roofline *s = calloc(1, sizeof *s);
	if (!s)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	int32_t rc = sc_mfu_set_up(s, setup, k, err);
	if (rc == SC_OK)
		*inst = s;
	else
		sc_mfu_destroy(s);
	return rc;
}

/* ---- GEMMs ---- */

/* All GEMMs of M rows, seconds on each of tp ranks.  count: its shapes are
 * new to the phase. */
static inline double sc_mfu_gemms(const struct sc_mfu_roofline *s, double m,
				  int count, struct sc_mfu_tally *tally)
{
	double of[SC_MFU_KINDS], sum = 0, head = 0;
	for (uint32_t i = 0; i < s->n_kinds; i++) {
		const struct sc_mfu_kind *g = &s->kind[i];
		struct sc_mfu mfu = sc_mfu_at(&g->from, &s->rules, 1, m);
		double floor = g->weight_bytes / s->bandwidth;
		double priced = 2 * m * g->k * g->n / (s->m.peak * mfu.value);
		int held = s->k.gemm_memory_floor && floor > priced;
		double times = g->head ? 1 : s->m.layers;
		of[i] = held ? floor : priced;
		sc_mfu_count(tally, mfu.how, count && !g->again,
			     held ? 0 : of[i] * s->m.inv_tp * times);
		if (g->head)
			head = of[i] * s->m.inv_tp;
		else
			sum += of[i];
	}
	if (s->k.gemm_sum == SC_GEMM_ONCE)
		return sum * s->m.inv_tp * s->m.layers + head;
	sum = 0;
	for (double layer = 0; layer < s->m.layers; layer++)
		for (uint32_t i = 0; i < 7; i++)
			sum += of[i] * s->m.inv_tp;
	return sum + head;
}

/* ---- decode attention ---- */

/* Prepares point[] and span[] for a batch. */
static inline void sc_mfu_set_batch(struct sc_mfu_roofline *s, double batch,
				    int arithmetic)
{
	const struct sc_mfu_block *b = s->decode_from.block;
	struct sc_place x = sc_locate(b->x, b->nx, batch);
	uint32_t base = sc_worse(x.how, s->decode_from.how);
	for (uint32_t i = 0; i < b->ny; i++)
		s->point[i] = sc_mfu_point_at(b, &s->rules, x, i);
	for (uint32_t i = 0; i <= 2 * b->ny; i++) {
		struct sc_mfu_span *span = &s->span[i];
		uint32_t low = i ? (i - 1) / 2 : 0;
		uint32_t between = i && i % 2 == 0 && i < 2 * b->ny;
		const struct sc_mfu_point *p = &s->point[low];
		const struct sc_mfu_point *q = &s->point[low + between];
		uint32_t how = between ? SC_INTERPOLATED : SC_CLAMPED;
		if (i % 2)
			how = SC_EXACT;
		if (p->hole || q->hole)
			how = SC_FALLBACK;
		double from = sc_mfu_between(p, p, 0);
		double to = sc_mfu_between(q, q, 0);
		*span = (struct sc_mfu_span){
		    .low = b->y[low], .base = from, .how = sc_worse(base, how)};
		if (between)
			span->slope = (to - from) / (b->y[low + 1] - b->y[low]);
		span->each = from < SC_MFU_ZERO || to < SC_MFU_ZERO ||
			     (between && (p->den != 1 || q->den != 1));
		span->bent = between && !arithmetic;
	}
}

static inline uint32_t sc_mfu_span_of(const struct sc_mfu_roofline *s,
				      uint32_t kv)
{
	const struct sc_mfu_block *b = s->decode_from.block;
	uint32_t below = 0; /* points at or below kv */
	if (kv)
		below = s->octave[31 - __builtin_clz(kv)];
	while (below < b->ny && b->y[below] <= kv)
		below++;
	if (below == 0)
		return 0;
	return 2 * below - (b->y[below - 1] == kv);
}

/* The MFU of one request, by the batch prepared or, with lookup nearest, by a
 * scan. */
static inline struct sc_mfu sc_mfu_one(const struct sc_mfu_roofline *s,
				       double batch, uint32_t kv)
{
	const struct sc_mfu_block *b = s->decode_from.block;
	if (s->rules.lookup == SC_LOOKUP_NEAREST)
		return sc_mfu_at(&s->decode_from, &s->rules, batch, kv);
	uint32_t i = sc_mfu_span_of(s, kv);
	uint32_t low = i ? (i - 1) / 2 : 0;
	uint32_t between = i && i % 2 == 0 && i < 2 * b->ny;
	double t = between ? (kv - b->y[low]) / (b->y[low + 1] - b->y[low]) : 0;
	struct sc_mfu m = {
	    sc_mfu_between(&s->point[low], &s->point[low + between], t),
	    s->span[i].how};
	if (m.value >= SC_MFU_ZERO)
		return m;
	m = sc_mfu_repair(b, &s->rules, batch, kv);
	m.how = sc_worse(m.how, s->decode_from.how);
	return m;
}

/* Sums over the requests of kv * MFU (arithmetic) or of kv / MFU, each MFU at
 * (batch, kv); by provenance, the distinct shapes and the share of kv. */
struct sc_mfu_sums {
	double kv, weighted;
	double kv_of[SC_N_PROVENANCE];
	uint32_t n_of[SC_N_PROVENANCE];
};

static inline void sc_mfu_sum_one(struct sc_mfu_sums *sum, struct sc_mfu m,
				  double kv, int arithmetic, int fresh)
{
	sum->kv += kv;
	sum->weighted += arithmetic ? kv * m.value : kv / m.value;
	sum->kv_of[m.how] += kv;
	sum->n_of[m.how] += (uint32_t)fresh;
}

static inline void sc_mfu_sum_spans(struct sc_mfu_roofline *s,
				    struct sc_mfu_sums *sum, int arithmetic)
{
	uint32_t n = 2 * s->decode_from.block->ny + 1;
	for (uint32_t i = 0; i < n; i++) {
		const struct sc_mfu_span *p = &s->span[i];
		if (!p->shapes)
			continue;
		sum->kv += p->kv;
		if (arithmetic)
			sum->weighted += p->kv * p->base + p->slope * p->moment;
		else
			sum->weighted += p->bent ? p->moment : p->kv / p->base;
		sum->kv_of[p->how] += p->kv;
		sum->n_of[p->how] += p->shapes;
	}
}

static inline struct sc_mfu_sums sc_mfu_sum(struct sc_mfu_roofline *s,
					    const sc_step *step, double batch,
					    int arithmetic)
{
	struct sc_mfu_sums sum = {0};
	int linear = s->rules.lookup == SC_LOOKUP_LINEAR;
	if (linear)
		sc_mfu_set_batch(s, batch, arithmetic);
	for (uint32_t i = 0; i < step->n_decode; i++) {
		uint32_t kv = step->decode_ctx[i];
		int fresh = sc_seen_first(&s->seen, kv);
		struct sc_mfu_span *p = s->span + sc_mfu_span_of(s, kv);
		if (!linear || p->each) {
			sc_mfu_sum_one(&sum, sc_mfu_one(s, batch, kv), kv,
				       arithmetic, fresh);
			continue;
		}
		p->shapes += (uint32_t)fresh;
		p->kv += kv;
		p->moment += p->bent ? kv / (p->base + p->slope * (kv - p->low))
				     : kv * (kv - p->low);
	}
	for (uint32_t i = 0; i < step->n_decode; i++)
		sc_seen_forget(&s->seen, step->decode_ctx[i]);
	if (linear)
		sc_mfu_sum_spans(s, &sum, arithmetic);
	return sum;
}

/* Each group of kv lengths up to the same power of two, 1024 at least, at its
 * own size and that power; sum of FLOPs / MFU over FLOPs per kv. */
static inline double sc_mfu_kv_buckets(const struct sc_mfu_roofline *s,
				       const sc_step *step,
				       struct sc_mfu_tally *tally,
				       double seconds)
{
	double kv_of[33] = {0}, n_of[33] = {0}, sum = 0;
	for (uint32_t i = 0; i < step->n_decode; i++) {
		uint32_t kv = step->decode_ctx[i];
		int c = kv > 1024 ? 32 - __builtin_clz(kv - 1) : 10;
		kv_of[c] += kv;
		n_of[c]++;
	}
	for (int c = 0; c <= 32; c++)
		if (n_of[c] > 0) {
			struct sc_mfu m = sc_mfu_at(&s->decode_from, &s->rules,
						    n_of[c], ldexp(1, c));
			sum += kv_of[c] / m.value;
			sc_mfu_count(tally, m.how, 1,
				     kv_of[c] / m.value * seconds);
		}
	return sum;
}

static inline double sc_mfu_decode_attention(struct sc_mfu_roofline *s,
					     const sc_step *step,
					     const struct sc_load *l,
					     struct sc_mfu_tally *tally)
{
	/* seconds per FLOP-token at MFU 1, on each rank */
	double second = s->att_per_token / s->m.peak * s->m.inv_tp;
	double tokens = l->context; /* in FLOPs / att_per_token */
	if (s->k.decode_attention_flops == SC_FLOPS_MAX)
		tokens = l->n * (double)l->longest;
	if (l->longest == 0)
		return 0;
	if (s->k.decode_attention_mfu == SC_DECODE_KV_BUCKET)
		return sc_mfu_kv_buckets(s, step, tally, second) * second;
	if (s->k.decode_attention_mfu == SC_DECODE_MAX) {
		struct sc_mfu m = sc_mfu_at(&s->decode_from, &s->rules, l->n,
					    (double)l->longest);
		double seconds = tokens / m.value * second;
		sc_mfu_count(tally, m.how, 1, seconds);
		return seconds;
	}
	int weighted = s->k.decode_attention_mfu == SC_DECODE_WEIGHTED;
	double batch =
	    s->k.decode_attention_mfu == SC_DECODE_PER_REQUEST ? 1 : l->n;
	struct sc_mfu_sums sum = sc_mfu_sum(s, step, batch, weighted);
	double seconds = sum.weighted * second;
	if (weighted)
		seconds = tokens / (sum.weighted / tokens) * second;
	for (uint32_t i = 0; i < SC_N_PROVENANCE; i++)
		sc_mfu_count(tally, i, sum.n_of[i],
			     seconds * (sum.kv_of[i] / sum.kv));
	return seconds;
}

/* ---- prefill ---- */

/* The requests of a prefill bucket. */
struct sc_mfu_group {
	double n, new_tokens, area; /* area: sum of rows * length */
};

static inline uint32_t sc_mfu_bucket_of(const struct sc_mfu_roofline *s,
					double length)
{
	uint32_t i = 0;
	while (i + 1 < s->n_buckets && s->bucket[i].top < length)
		i++;
	return i;
}

static inline void sc_mfu_group_prefills(const struct sc_mfu_roofline *s,
					 const sc_step *step,
					 struct sc_mfu_group *group)
{
	for (uint32_t i = 0; i < step->n_prefill; i++) {
		double new_tokens = step->prefill_new[i];
		double length = step->prefill_ctx[i] + new_tokens;
		uint32_t b = sc_mfu_bucket_of(
		    s, s->k.bucket_key == SC_KEY_TOTAL ? length : new_tokens);
		double rows = s->k.prefill_attention_rows == SC_ROWS_TOKENS
				  ? new_tokens
				  : 1;
		if (s->k.prefill_attention_length == SC_LENGTH_BUCKET)
			length = s->bucket[b].top;
		else if (s->k.prefill_attention_length == SC_LENGTH_HYBRID)
			length = fmin(s->bucket[b].top, fmax(length, 64));
		group[b].n++;
		group[b].new_tokens += new_tokens;
		group[b].area += rows * length;
	}
}

static inline double sc_mfu_group_rows(const struct sc_mfu_roofline *s,
				       const struct sc_mfu_group *g)
{
	return s->k.prefill_gemm_rows == SC_ROWS_TOKENS ? g->new_tokens : g->n;
}

static inline struct sc_phase sc_mfu_prefill(const struct sc_mfu_roofline *s,
					     const sc_step *step,
					     struct sc_mfu_tally *tally)
{
	struct sc_mfu_group group[SC_MFU_BUCKETS] = {{0, 0, 0}};
	struct sc_phase phase = {0, 0, 0};
	double second = s->att_per_token * s->k.causal_mask /
			s->k.prefill_attention_divisor / s->m.peak *
			s->m.inv_tp;
	sc_mfu_group_prefills(s, step, group);
	for (uint32_t i = 0; i < s->n_buckets; i++) {
		if (!(group[i].n > 0))
			continue;
		double m = sc_mfu_group_rows(s, &group[i]);
		int fresh = 1;
		for (uint32_t j = 0; j < i; j++)
			fresh &= sc_mfu_group_rows(s, &group[j]) != m;
		double attention =
		    group[i].area * second / s->bucket[i].mfu.value;
		phase.gemm += sc_mfu_gemms(s, m, fresh, tally);
		phase.attention += attention;
		sc_mfu_count(tally, s->bucket[i].mfu.how, 1, attention);
	}
	return phase;
}

/* ---- the step ---- */

static inline double sc_mfu_memory(const struct sc_mfu_roofline *s,
				   const struct sc_load *l, double n_decode,
				   double own_efficiency)
{
	double weights = s->weight_bytes * s->m.inv_tp;
	double dyn = sc_dyn_bytes(&s->m, l, &s->discounts) * s->m.inv_tp;
	double bandwidth = s->m.bandwidth;
	if (s->k.memory == SC_MEMORY_HYBRID) {
		double kv =
		    s->k.kv_bw_efficiency +
		    s->k.kv_bw_gain * fmin(n_decode / s->k.kv_bw_batch, 1);
		return weights / (bandwidth * s->k.weight_bw_efficiency) +
		       dyn / (bandwidth * kv);
	}
	if (own_efficiency > 0)
		return (weights + dyn) / (bandwidth * own_efficiency);
	return (weights + dyn) / s->bandwidth;
}

static inline struct sc_mix sc_mfu_mix(const struct sc_mfu_roofline *s,
				       const struct sc_phase phase[2],
				       const struct sc_load load[2])
{
	double new_tokens = load[SC_PREFILL].new_tokens;
	double n_decode = load[SC_DECODE].n;
	if (new_tokens == 0 || n_decode == 0)
		return (struct sc_mix){1, 1};
	switch (s->k.mixed) {
	case SC_MIXED_SUM:
		return (struct sc_mix){1, 1};
	case SC_MIXED_ADAPTIVE:
		return sc_mix_adaptive(new_tokens, n_decode);
	case SC_MIXED_SMOOTH:
		return sc_mix_smooth(new_tokens, n_decode);
	default:
		if (sc_phase_time(&phase[SC_PREFILL]) >=
		    sc_phase_time(&phase[SC_DECODE]))
			return (struct sc_mix){1, 0};
		return (struct sc_mix){0, 1};
	}
}

static inline struct sc_host_us sc_mfu_host(const struct sc_mfu_roofline *s,
					    const sc_step *step)
{
	struct sc_host_us us = {0};
	if (s->k.overhead == SC_OVERHEAD_PER_LAYER)
		us.overhead =
		    s->k.cpu_overhead_per_layer_us * s->m.layers * s->m.inv_tp;
	else if (s->k.overhead == SC_OVERHEAD_BATCH_SCALED)
		us = sc_host_time(&s->host, &s->m, step->n_prefill,
				  step->n_decode);
	return us;
}

/* Tables priced of a step what its compute-bound phases take of it. */
static inline void sc_mfu_report(sc_result *out,
				 const struct sc_mfu_tally tally[2],
				 const struct sc_phase phase[2],
				 const struct sc_mix *mix)
{
	for (int i = 0; i < 2; i++) {
		int hidden = sc_phase_compute(&phase[i]) < phase[i].memory;
		double share = i == SC_DECODE ? mix->decode : mix->prefill;
		for (int how = 0; how < SC_N_PROVENANCE; how++) {
			out->lookups[how] += tally[i].n[how];
			if (!hidden)
				out->lookup_us[how] +=
				    tally[i].seconds[how] * share * 1e6;
		}
	}
}

static inline int32_t sc_mfu_eval(void *inst, const sc_step *step,
				  sc_result *out, sc_error *err)
{
	struct sc_mfu_roofline *s = inst;
	struct sc_load load[2] = {sc_load_prefill(step), sc_load_decode(step)};
	struct sc_phase phase[2] = {{0, 0, 0}, {0, 0, 0}};
	struct sc_mfu_tally tally[2] = {{{0}, {0}}, {{0}, {0}}};
	uint64_t longest = load[0].longest > load[1].longest ? load[0].longest
							     : load[1].longest;
	double n_decode = load[SC_DECODE].n;
	int32_t rc = sc_dense_step(&s->m, step, longest, err);
	if (rc != SC_OK)
		return rc;
	if (step->n_prefill) {
		struct sc_phase *p = &phase[SC_PREFILL];
		*p = sc_mfu_prefill(s, step, &tally[SC_PREFILL]);
		p->memory = sc_mfu_memory(s, &load[SC_PREFILL], n_decode,
					  s->k.prefill_bw_efficiency);
		sc_phase_report(out, SC_PREFILL, p);
	}
	if (step->n_decode) {
		struct sc_phase *p = &phase[SC_DECODE];
		struct sc_mfu_tally *t = &tally[SC_DECODE];
		p->gemm = sc_mfu_gemms(s, n_decode, 1, t);
		p->attention =
		    sc_mfu_decode_attention(s, step, &load[SC_DECODE], t);
		p->memory = sc_mfu_memory(s, &load[SC_DECODE], n_decode,
					  s->k.decode_bw_efficiency);
		sc_phase_report(out, SC_DECODE, p);
	}
	struct sc_mix mix = sc_mfu_mix(s, phase, load);
	double part[2] = {mix.prefill * sc_phase_time(&phase[SC_PREFILL]),
			  mix.decode * sc_phase_time(&phase[SC_DECODE])};
	double hardware = part[SC_PREFILL] + part[SC_DECODE];
	struct sc_host_us host = sc_mfu_host(s, step);
	sc_total(out, hardware, &host);
	if (step->n_prefill || step->n_decode)
		out->total_us = fmax(out->total_us, s->k.min_step_us);
	out->bound = sc_bound_of(
	    out, &phase[part[SC_DECODE] > part[SC_PREFILL]], hardware);
	sc_mfu_report(out, tally, phase, &mix);
	return SC_OK;
}

/* Looks one kernel up and prices it by the model's rate: without memory floor,
 * layers, or overheads. */
static inline int32_t sc_mfu_roofline_kernel(void *inst, const sc_kernel *q,
					     sc_kernel_result *out,
					     sc_error *err)
{
	const struct sc_mfu_roofline *s = inst;
	struct sc_mfu_pricing p = {
	    .gemm = &s->gemm,
	    .prefill = &s->prefill,
	    .decode = &s->decode,
	    .rules = &s->rules,
	    .gemm_peak = s->m.peak,
	    .attention_peak = s->m.peak,
	    .softmax_flops = (int)s->k.softmax_flops,
	    .causal_share = s->k.causal_mask / s->k.prefill_attention_divisor};
	return sc_mfu_price_kernel(&p, q, out, err);
}
#endif
