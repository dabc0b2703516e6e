/* plugins/field/mfu.h -- the operators of a layer at the MFU that tables of
 * kernels have (rows.h), and their exchange of tokens, by InferSim's rules;
 * infersim/infersim.md has the formulas.
 *
 * Source: alibaba/InferSim @ f2293da, Apache-2.0.  Times in seconds; NaN: there
 * is no answer.  A TFLOP has 1024 GFLOP, a GB 1024^3 bytes. */
#ifndef FIELD_MFU_H
#define FIELD_MFU_H
#include "rows.h"

enum mfu_kind {
	MFU_GEMM,
	MFU_MHA_DECODE,
	MFU_MHA_PREFILL,
	MFU_MLA_DECODE,
	MFU_MLA_PREFILL,
	MFU_GROUPED_DECODE,
	MFU_GROUPED_PREFILL,
	MFU_LINEAR_DECODE,
	MFU_LINEAR_PREFILL,
	MFU_KINDS
};
static const char *const mfu_kinds[MFU_KINDS] = {
    "gemm",          "mha_decode",     "mha_prefill",     "mla_decode",
    "mla_prefill",   "grouped_decode", "grouped_prefill", "linear_decode",
    "linear_prefill"};

/* bf16 and FP8 TFLOP/s, default MFU; memory, NVLink one way, RDMA in GB/s */
struct mfu_gpu {
	double bf16, fp8, mfu, memory, link, rdma;
};
#define MFU_GB 1073741824.
enum { MFU_KNOWN = 8192 };

struct mfu_site { /* a GEMM of known k and n; n 0: there is none */
	double k, n;
	struct field_rows rows;
};
struct mfu_attention {
	/* FLOPs of a query and a token in the cache */
	double decode_flops, prefill_flops;
	double cache_bytes, kv_bytes; /* of a token; of a number */
	struct field_rows decode, prefill;
};
struct mfu_linear { /* heads and sizes of linear attention; conv 0: none */
	double conv, k_heads, k_dim, v_heads, v_dim;
};
struct mfu {
	struct field_model m;
	struct mfu_gpu gpu;
	struct field_rows rows;
	double world, nodes, full_layers, linear_layers, shared;
	struct mfu_linear linear;
	int is_fp8, tbo, deepep;
	struct mfu_attention core;
	struct mfu_site attention[6], projection[2], dense, shared_ffn[2];
	struct field_rows grouped[2], linear_core[2]; /* by SC_PREFILL ... */
	/* GEMMs of attention, and FFN, of a number of tokens that was asked
	 * before; 0: not yet */
	double other_s[MFU_KNOWN], ffn_s[2][MFU_KNOWN];
};
static inline double mfu_compute(double flops, double tflops, double mfu)
{
	return mfu > 0 ? flops / 1e9 / (tflops * 1024 * mfu) : (double)NAN;
}
static inline double mfu_load(const struct mfu *s, double bytes)
{
	return bytes / MFU_GB / s->gpu.memory;
}
static inline double mfu_peak(const struct mfu *s)
{
	return s->is_fp8 ? s->gpu.fp8 : s->gpu.bf16;
}
/* The larger; NaN if there is no answer. */
static inline double mfu_most(double compute, double load)
{
	return compute < load ? load : compute;
}

/* A GEMM takes the rows of the nearest pair (K, N) that is not below (k, n). */
static inline struct mfu_site mfu_site_of(const struct mfu *s, double k,
					  double n)
{
	double least = 1e9;
	const struct field_row *best = NULL;
	for (size_t i = 0; i < s->rows.n; i++) {
		const struct field_row *r = &s->rows.row[i];
		double dk = r->shape[0] - k, dn = r->shape[1] - n;
		if (r->kind == MFU_GEMM && dk >= 0 && dn >= 0 &&
		    dk * dk + dn * dn < least) {
			least = dk * dk + dn * dn;
			best = r;
		}
	}
	return (struct mfu_site){
	    k, n,
	    best ? field_find(s->rows, MFU_GEMM, best->shape)
		 : (struct field_rows){NULL, 0}};
}
static inline double mfu_gemms(const struct mfu *s, const struct mfu_site *g,
			       int n, double m)
{
	double sum = 0;
	for (int i = 0; i < n && g[i].n > 0; i++)
		sum +=
		    mfu_compute(2 * m * g[i].n * g[i].k, mfu_peak(s),
				field_last(g[i].rows, m, 0, s->gpu.mfu).value);
	return sum;
}

/* Attention of these heads on tp ranks; latent attention is not split. */
static inline struct mfu_attention
mfu_attention_of(const struct mfu *s, double heads, double kv_heads, double dim,
		 double tp, double kv_bytes, int mla)
{
	const struct field_model *m = &s->m;
	double h = floor(heads / tp), g = floor(kv_heads / tp), r = m->kv_rank;
	struct mfu_attention a = {.decode_flops = 4 * h * dim,
				  .prefill_flops = 4 * h * dim,
				  .cache_bytes = 2 * g * dim * kv_bytes,
				  .kv_bytes = kv_bytes};
	double decode[FIELD_SHAPE] = {h, g, dim},
	       prefill[FIELD_SHAPE] = {h, g, dim};
	if (mla) {
		a.decode_flops = 2 * heads * (2 * r + m->rope);
		a.prefill_flops = 2 * heads * (m->nope + m->rope + m->v_dim);
		a.cache_bytes = (r + m->rope) * kv_bytes;
		decode[1] = r, prefill[1] = m->nope;
		decode[2] = prefill[2] = m->rope;
	}
	a.decode =
	    field_find(s->rows, mla ? MFU_MLA_DECODE : MFU_MHA_DECODE, decode);
	a.prefill = field_find(s->rows, mla ? MFU_MLA_PREFILL : MFU_MHA_PREFILL,
			       prefill);
	return a;
}
static inline double mfu_core_decode(const struct mfu *s,
				     const struct mfu_attention *a, double bs,
				     double kv, uint32_t *how)
{
	const struct field_row *r =
	    field_nearest(a->decode, bs, kv, a->kv_bytes);
	double mfu = r ? r->value : a->decode.n ? (double)NAN : s->gpu.mfu;
	*how = !r                         ? SC_FALLBACK
	       : r->x == bs && r->y == kv ? SC_EXACT
					  : SC_CLAMPED;
	return mfu_most(
	    mfu_compute(bs * a->decode_flops * kv, s->gpu.bf16, mfu),
	    mfu_load(s, a->cache_bytes * kv * bs));
}
static inline double mfu_core_prefill(const struct mfu *s,
				      const struct mfu_attention *a, double isl,
				      uint32_t *how)
{
	struct field_hit hit =
	    field_last(a->prefill, isl, 1, a->prefill.n ? s->gpu.mfu : 0.9);
	*how = hit.how;
	return mfu_most(mfu_compute(isl * isl * a->prefill_flops / 1.8,
				    s->gpu.bf16, hit.value),
			mfu_load(s, a->cache_bytes * isl));
}
/* Kernels of linear attention at x, the length or the sequences. */
static inline double mfu_core_linear(const struct mfu *s, int phase, double x)
{
	const struct mfu_linear *l = &s->linear;
	const struct field_row *r =
	    field_nearest(s->linear_core[phase], x, 0, 0);
	double state = (l->v_heads * l->v_dim + 2 * l->k_heads * l->k_dim) *
			   (l->conv - 1) * 2 +
		       l->v_heads * l->k_dim * l->v_dim * 4;
	return r ? mfu_most(r->value / 1e6 / (r->x / x),
			    mfu_load(s, phase == SC_DECODE ? state * x : state))
		 : (double)NAN;
}

static inline double mfu_ffn(const struct mfu *s, double tokens, int phase)
{
	const struct field_model *m = &s->m;
	int moe = m->experts > 0;
	double f = floor((moe ? m->expert_ffn : m->dense_ffn) / m->tp);
	double mfu = s->gpu.mfu;
	if (!moe)
		mfu = field_last(s->dense.rows, tokens, 0, mfu).value;
	else if (phase == SC_PREFILL)
		mfu = field_last(s->grouped[phase], tokens, 1, mfu).value;
	else if (s->grouped[phase].n)
		mfu = field_nearest(s->grouped[phase], tokens, 0, 0)->value;
	double load =
	    mfu_load(s, 3 * m->hidden * f * (s->is_fp8 ? 1 : 2) *
			    (moe ? m->experts : 1) / floor(s->world / m->tp));
	return mfu_most(
		   mfu_compute(6 * m->hidden * f * tokens * (moe ? m->topk : 1),
			       mfu_peak(s), mfu),
		   load) +
	       mfu_gemms(s, s->shared_ffn, 2, tokens);
}

/* Returns the time in which all tokens are sent to the GPUs of their experts,
 * or back.  bytes: of one value, with DeepEP. */
static inline double mfu_exchange(const struct mfu *s, double tokens, int phase,
				  double bytes)
{
	double d = s->m.hidden;
	double link = s->nodes > 1 ? s->gpu.rdma : s->gpu.link;
	if (s->world <= 1)
		return 0;
	if (!s->deepep)
		return tokens * s->world * d * 2 / MFU_GB / link;
	if (phase == SC_DECODE)
		return tokens * (s->m.experts > 0 ? s->m.topk : 1) * d * bytes /
		       MFU_GB / link;
	return tokens * (s->nodes - 1) * d * bytes / MFU_GB / s->gpu.rdma +
	       tokens * d * bytes / MFU_GB / s->gpu.link;
}

/* What depends on the number of tokens alone. */
static inline void mfu_tokens(struct mfu *s, double tokens, int phase,
			      double *other, double *ffn)
{
	size_t i = tokens < MFU_KNOWN ? (size_t)tokens : 0;
	*other = i ? s->other_s[i] : 0;
	*ffn = i ? s->ffn_s[phase][i] : 0;
	if (!(*other > 0))
		*other = mfu_gemms(s, s->attention, 6, tokens);
	if (!(*ffn > 0))
		*ffn = mfu_ffn(s, tokens, phase);
	if (i) {
		s->other_s[i] = *other;
		s->ffn_s[phase][i] = *ffn;
	}
}

/* Finds the rows of the model's own operators; everything else is set. */
static inline void mfu_prepare(struct mfu *s)
{
	const struct field_model *m = &s->m;
	const struct mfu_linear *l = &s->linear;
	double d = m->hidden, h = floor(m->heads / m->tp), r = m->kv_rank;
	double g = floor(m->kv_heads / m->tp), f = floor(m->expert_ffn / m->tp);
	double ranks = floor(s->world / m->tp), p;
	int mla = r > 0;
	double widths[6][2] = {{d, (h + 2 * g) * m->head_dim},
			       {h * m->head_dim, d}};
	if (mla)
		memcpy(widths,
		       (double[6][2]){{d, m->q_rank},
				      {m->q_rank, h * (m->nope + m->rope)},
				      {d, r + m->rope},
				      {h * m->nope, r},
				      {h * r, m->v_dim},
				      {h * m->v_dim, d}},
		       sizeof widths);
	for (int i = 0; i < (mla ? 6 : 2); i++)
		s->attention[i] = mfu_site_of(s, widths[i][0], widths[i][1]);
	s->core = mfu_attention_of(s, m->heads, m->kv_heads, m->head_dim, m->tp,
				   m->kv_bytes, mla);
	s->core.cache_bytes *= s->full_layers / m->layers;
	s->dense = mfu_site_of(s, d, floor(2 * m->dense_ffn / s->world));
	if (s->shared > 0) {
		s->shared_ffn[0] = mfu_site_of(s, d, 2 * s->shared * f);
		s->shared_ffn[1] = mfu_site_of(s, s->shared * f, d);
	}
	for (int phase = SC_PREFILL; phase <= SC_DECODE; phase++) {
		int decode = phase == SC_DECODE;
		s->grouped[phase] = field_find(
		    s->rows, decode ? MFU_GROUPED_DECODE : MFU_GROUPED_PREFILL,
		    (double[FIELD_SHAPE]){m->experts, s->world,
					  floor(m->experts / ranks), m->topk, d,
					  f});
		s->linear_core[phase] = field_find(
		    s->rows, decode ? MFU_LINEAR_DECODE : MFU_LINEAR_PREFILL,
		    (double[FIELD_SHAPE]){l->conv, l->k_heads, l->k_dim,
					  l->v_heads, l->v_dim});
	}
	p = 2 * l->k_heads * l->k_dim + 2 * l->v_heads * l->v_dim;
	if (s->linear_layers > 0) {
		s->projection[0] = mfu_site_of(s, d, p);
		s->projection[1] = mfu_site_of(s, l->v_heads * l->v_dim, d);
	}
}
#endif
