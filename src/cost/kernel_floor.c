/* kernel_floor.c -- Adds up the work of one kernel, and the least time for it.
 */
#include "cost/kernel_floor.h"
#include <stdio.h>
#include <string.h>
#include "stepcost/kernel/floor.h"
#include "stepcost/kernel/kernel_dtype.h"
#include "stepcost/kernel/mla.h"

static double or_1(double n)
{
	return n > 0 ? n : 1;
}

/* Formats of a kernel: the peak that it can reach, the bytes of a weight. */
struct formats {
	double peak, weight_bytes;
};

static struct formats formats_of(const struct floor *f, const sc_kernel *k,
				 const char *word)
{
	const struct sc_format *named = word ? sc_format_find(word) : NULL;
	const struct sc_format *row = named ? named : sc_format_row(k->format);
	const struct sc_kernel_dtype *d =
	    sc_kernel_dtype(row ? row->name : "bf16");
	if (d)
		return (struct formats){
		    sc_floor_peak(f->peak, 8 * sc_format_bytes(d->peak)),
		    d->weight_bytes};
	double bytes = row ? row->bytes : 2;
	return (struct formats){sc_floor_peak(f->peak, 8 * bytes), bytes};
}

/* Returns the bytes of an element of the KV cache; the peak of attention. */
static double cache_of(const struct floor *f, const sc_kernel *k, double *peak)
{
	uint32_t format = k->kv_format ? k->kv_format : SC_BF16;
	double bytes = sc_format_bytes(format);
	/* Attention can multiply in the format of the kernel. */
	*peak = sc_floor_peak(
	    f->peak, 8 * fmin(bytes, formats_of(f, k, k->dtype).weight_bytes));
	return bytes;
}

static struct sc_work attention(const struct floor *f, const sc_kernel *k,
				double *peak)
{
	double cache_bytes = cache_of(f, k, peak), cached = (double)k->context;
	double heads = k->heads / or_1(k->ranks), window = k->window;
	double kv_heads = fmax(1, k->kv_heads / or_1(k->ranks));
	double batch = (double)k->batch;
	double seen = window > 0 ? fmin(cached, window) : cached;
	double pairs = k->op == SC_OP_DECODE
			   ? seen
			   : sc_pairs((double)k->new_tokens, cached, window);
	return sc_work_attention(heads, kv_heads, k->head_dim, batch * pairs,
				 batch * seen, cache_bytes);
}

/* Returns the work of the core of latent attention.  Its widths are those of
 * DeepSeek-V3, as in the tables of measured kernels. */
static struct sc_work latent(const struct floor *f, const sc_kernel *k,
			     double *peak)
{
	int decode = k->op == SC_OP_MLA_DECODE ||
		     (k->op == SC_OP_MLA_CORE && !k->new_tokens);
	double cache_bytes = cache_of(f, k, peak), batch = (double)k->batch;
	double cached = (double)k->context, fresh = (double)k->new_tokens;
	double heads = k->heads / or_1(k->ranks);
	double pairs = decode ? cached : sc_pairs(fresh, cached, 0);
	return sc_work_latent(
	    heads, SC_MLA_LATENT, SC_MLA_CACHE - SC_MLA_LATENT,
	    decode ? SC_MLA_CACHE + SC_MLA_LATENT : SC_MLA_QK + SC_MLA_V,
	    batch * pairs, batch * cached, cache_bytes);
}

/* Returns the least time of the projections before and after the core of latent
 * attention.  They are GEMMs, with a number format of their own, gemm_dtype. */
static double projections_us(const struct floor *f, const sc_kernel *k)
{
	struct formats is =
	    formats_of(f, k, k->gemm_dtype ? k->gemm_dtype : k->dtype);
	double tokens = k->op == SC_OP_MLA_DECODE
			    ? (double)k->batch
			    : (double)k->batch * (double)k->new_tokens;
	double weights = sc_mla_weights(k->heads / or_1(k->ranks));
	struct sc_work w = sc_work_gemm(tokens, weights, 1, is.weight_bytes);
	return sc_least_us(w, is.peak, f->bandwidth,
			   sc_floor_cache(f->l2_bytes));
}

static struct sc_work experts(const sc_kernel *k, double weight_bytes)
{
	const struct sc_moe e = {.hidden = k->hidden,
				 .inter = k->inter,
				 .experts = k->experts,
				 .topk = k->topk,
				 .tp = or_1(k->tp),
				 .ep = or_1(k->ep),
				 .matrices = 2};
	struct sc_work w = sc_work_moe(&e, (double)k->tokens, weight_bytes);
	/* All tokens may have chosen experts of other ranks, so the least work
	 * of this rank is none. */
	if (k->ep > 1)
		w = (struct sc_work){0, 0};
	return w;
}

/* Returns the least time for the work; *limit says what takes that long. */
static double finish(const struct floor *f, struct sc_work w, double peak,
		     enum floor_limit *limit)
{
	double us =
	    sc_least_us(w, peak, f->bandwidth, sc_floor_cache(f->l2_bytes));
	double memory_us =
	    sc_least_us(w, 0, f->bandwidth, sc_floor_cache(f->l2_bytes));
	*limit = memory_us < us ? FLOOR_COMPUTE : FLOOR_MEMORY;
	return us;
}

/* Returns the least time to send a message over the links; 0 for operations
 * with an unknown amount of traffic. */
static double message_us(const struct floor *f, const sc_kernel *k,
			 enum floor_limit *limit)
{
	static const char *const known[] = {"all_reduce", "all_gather",
					    "reduce_scatter"};
	int is_known = k->op == SC_OP_ALL_REDUCE;
	for (size_t i = 0; k->kind && i < sizeof known / sizeof *known; i++)
		is_known |= !strcmp(k->kind, known[i]);
	*limit = FLOOR_LINKS;
	return is_known && f->link > 0
		   ? sc_floor_message((double)k->bytes, k->ranks) / f->link
		   : 0;
}

double kernel_floor_us(const struct floor *f, const sc_kernel *k,
		       enum floor_limit *limit)
{
	double peak = 0;
	struct formats is;
	struct sc_work w;
	*limit = FLOOR_MEMORY;
	if (!f->setup)
		return 0;
	switch (k->op) {
	case SC_OP_GEMM:
		is = formats_of(f, k, k->dtype);
		return finish(f,
			      sc_work_gemm((double)k->m, (double)k->n,
					   (double)k->k, is.weight_bytes),
			      is.peak, limit);
	case SC_OP_MOE:
		is = formats_of(f, k, k->dtype);
		return finish(f, experts(k, is.weight_bytes), is.peak, limit);
	case SC_OP_PREFILL:
	case SC_OP_DECODE:
		w = attention(f, k, &peak);
		return finish(f, w, peak, limit);
	case SC_OP_MLA_CORE:
		w = latent(f, k, &peak);
		return finish(f, w, peak, limit);
	case SC_OP_MLA_DECODE:
	case SC_OP_MLA_PREFILL:
		w = latent(f, k, &peak);
		return fmax(finish(f, w, peak, limit), projections_us(f, k));
	case SC_OP_ALL_REDUCE:
	case SC_OP_COLLECTIVE:
		return message_us(f, k, limit);
	default:
		return 0;
	}
}

struct floor_mark kernel_floor_mark(const struct floor *f, const sc_kernel *k,
				    double latency_us)
{
	enum floor_limit limit;
	double least_us = kernel_floor_us(f, k, &limit);
	return (struct floor_mark){
	    .least_us = least_us,
	    .is_below = floor_is_below(latency_us, least_us),
	    .worst = {FLOOR_STEP, limit, latency_us, least_us}};
}

const char *kernel_floor_text(char to[FLOOR_TEXT],
			      const struct floor_finding *found)
{
	static const char *const work[N_FLOOR_LIMITS] = {
	    "reading its data", "computing at the peak rate",
	    "sending its bytes"};
	snprintf(to, FLOOR_TEXT, "%.4g us, but %s takes %.4g us", found->us,
		 work[found->limit], found->least_us);
	return to;
}
