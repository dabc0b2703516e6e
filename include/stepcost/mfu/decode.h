/* stepcost/mfu/decode.h -- header-only helper for plugins: decode attention of
 * a batch of n requests with different contexts kv, priced by a table of MFU:
 *
 *   time = FLOPs / (peak MFU) / tp
 *
 * where the FLOPs are those of a number of tokens (SC_FLOPS_*), and the MFU is
 * a mean over the requests' own contexts (SC_DECODE_*), K their sum:
 *
 *   tokens  sum        K
 *           max        n longest
 *           bucket     sum of top(kv): the request's bucket, below
 *   MFU     max              MFU(n, longest)
 *           weighted         sum of kv MFU(n, kv) / K
 *           weighted_single  sum of kv MFU(1, kv) / K
 *           per_request      K / sum of kv / MFU(1, kv)
 *           harmonic         K / sum of kv / MFU(n, kv)
 *           kv_bucket        K / sum over buckets of K_b / MFU(n_b, top_b)
 *
 * So the MFU lies between the least and the greatest that were looked up, and
 * `max` in place of `sum` multiplies the time by n longest / K in every mode.
 * Where K is 0 the time is 0.
 *
 * A bucket holds the contexts up to an edge, its top.  Without edges of its own
 * a step has 1024, 2048, 4096 ...; contexts beyond the last edge share a
 * bucket, and the longest of them is its top.
 *
 * Along kv the MFU is linear between two points of the table, so the sum over a
 * step is taken per piece (a span) and not per request.  With log_linear it is
 * taken per request.
 *
 *   struct sc_mfu_decode d = {0};
 *   int32_t rc = sc_mfu_decode_new(&d, answer, &rules);
 *   if (rc == SC_OK)
 *           rc = sc_mfu_decode_edges(&d, NULL, 0);   with SC_DECODE_KV_BUCKET
 *   struct sc_mfu_attention a = sc_mfu_decode_price(
 *       &d, step, &load, SC_DECODE_WEIGHTED, SC_FLOPS_SUM,
 *       seconds_per_token_at_mfu_1, &tally);
 *   sc_mfu_decode_free(&d);                          in any case
 */
#ifndef SC_MFU_DECODE_H
#define SC_MFU_DECODE_H
#include "stepcost/mfu/knobs.h"
#include "stepcost/mfu/lookup.h"
#include "stepcost/roofline.h"
#include "stepcost/distinct.h"

/* A range of kv lengths in which the decode MFU is one linear piece: a point of
 * the kv axis, the gap between two points, or all beyond an end. */
struct sc_mfu_span {
	double low, slope, base; /* MFU = base + slope * (kv - low) */
	uint32_t how;
	int each; /* 1: not linear here, look up each request */
	int bent; /* 1: linear, but the sum is over kv / MFU */
	/* Depends on the step: */
	uint32_t shapes; /* number of distinct kv */
	/* Sums of kv and of kv * (kv - low); where `bent`, moment sums kv /
	 * MFU. */
	double kv, moment;
};

/* The contexts that share a bucket. */
struct sc_mfu_kv_bucket {
	double n, kv, top; /* requests, sum of their kv */
};

/* The price of decode attention; its FLOPs are proportional to `tokens`. */
struct sc_mfu_attention {
	double tokens, seconds;
};

/* A block of a decode table, and memory to price a step with it. */
struct sc_mfu_decode {
	struct sc_mfu_answer from;
	const struct sc_mfu_rules *rules;
	struct sc_distinct seen;
	/* What point[] and span[] are for; batch 0: nothing yet. */
	double batch;
	int arithmetic;
	struct sc_mfu_point *point; /* [ny] at the batch of the step */
	/* [2 * ny + 1]: below point 0, on 0, between 0 and 1, on 1, ...
	 * above */
	struct sc_mfu_span *span;
	/* Number of points of the kv axis at or below 2^i. */
	uint32_t octave[33];
	/* The edges of buckets, ascending, and [n_edges + 1] buckets. */
	double *edge;
	uint32_t n_edges;
	int nearest; /* 1: a context belongs to the nearest edge */
	struct sc_mfu_kv_bucket *bucket;
};

/* d is zeroed; from.block is not NULL; rules outlive d.  Returns SC_OK or
 * SC_ENOMEM.  The caller frees d in either case. */
static inline int32_t sc_mfu_decode_new(struct sc_mfu_decode *d,
					struct sc_mfu_answer from,
					const struct sc_mfu_rules *rules)
{
	const struct sc_mfu_block *b = from.block;
	d->from = from;
	d->rules = rules;
	for (uint32_t i = 0; i <= 32; i++)
		while (d->octave[i] < b->ny &&
		       b->y[d->octave[i]] <= ldexp(1, (int)i))
			d->octave[i]++;
	d->point = (struct sc_mfu_point *)calloc(b->ny, sizeof *d->point);
	d->span = (struct sc_mfu_span *)calloc(2 * (size_t)b->ny + 1,
					       sizeof *d->span);
	if (sc_distinct_new(&d->seen) != SC_OK || !d->point || !d->span)
		return SC_ENOMEM;
	return SC_OK;
}

/* Sets the edges of buckets: [n] ascending; n = 0: 1024, 2048, 4096 ... as far
 * as contexts reach.  Returns SC_OK or SC_ENOMEM.  Call it once. */
static inline int32_t sc_mfu_decode_edges(struct sc_mfu_decode *d,
					  const double *edge, uint32_t n)
{
	d->n_edges = n ? n : 23;
	d->edge = (double *)malloc(d->n_edges * sizeof *d->edge);
	d->bucket = (struct sc_mfu_kv_bucket *)malloc(((size_t)d->n_edges + 1) *
						      sizeof *d->bucket);
	if (!d->edge || !d->bucket)
		return SC_ENOMEM;
	for (uint32_t i = 0; i < d->n_edges; i++)
		d->edge[i] = n ? edge[i] : ldexp(1024, (int)i);
	return SC_OK;
}

static inline void sc_mfu_decode_free(struct sc_mfu_decode *d)
{
	sc_distinct_free(&d->seen);
	free(d->point);
	free(d->span);
	free(d->edge);
	free(d->bucket);
}

/* Computes point[] and span[] for a batch. */
static inline void sc_mfu_new_batch(struct sc_mfu_decode *d, double batch,
				    int arithmetic)
{
	const struct sc_mfu_block *b = d->from.block;
	int log_linear = d->rules->lookup == SC_LOOKUP_LOG_LINEAR;
	struct sc_place x = sc_mfu_locate(b->x, b->nx, batch, d->rules);
	uint32_t base = sc_worse(x.how, d->from.how);
	for (uint32_t i = 0; i < b->ny; i++)
		d->point[i] = sc_mfu_point_at(b, d->rules, x, i);
	for (uint32_t i = 0; i <= 2 * b->ny; i++) {
		struct sc_mfu_span *span = &d->span[i];
		uint32_t low = i ? (i - 1) / 2 : 0;
		uint32_t between = i && i % 2 == 0 && i < 2 * b->ny;
		const struct sc_mfu_point *p = &d->point[low];
		const struct sc_mfu_point *q = &d->point[low + between];
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
		span->each =
		    from < SC_MFU_ZERO || to < SC_MFU_ZERO ||
		    (between && (log_linear || p->den != 1 || q->den != 1));
		span->bent = between && !arithmetic;
	}
}

/* Prepares point[] and span[] for a step: successive ones often have the same
 * batch. */
static inline void sc_mfu_set_batch(struct sc_mfu_decode *d, double batch,
				    int arithmetic)
{
	const uint32_t n = 2 * d->from.block->ny + 1;
	if (d->batch != batch || d->arithmetic != arithmetic) {
		d->batch = batch;
		d->arithmetic = arithmetic;
		sc_mfu_new_batch(d, batch, arithmetic);
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		if (d->span[i].shapes) {
			d->span[i].shapes = 0;
			d->span[i].kv = d->span[i].moment = 0;
		}
}

static inline uint32_t sc_mfu_span_of(const struct sc_mfu_decode *d,
				      uint32_t kv)
{
	const struct sc_mfu_block *b = d->from.block;
	uint32_t below = 0; /* points at or below kv */
	if (kv)
		below = d->octave[31 - __builtin_clz(kv)];
	while (below < b->ny && b->y[below] <= kv)
		below++;
	if (below == 0)
		return 0;
	return 2 * below - (b->y[below - 1] == kv);
}

/* Returns the MFU of one request: from the batch that was prepared or, with
 * lookup = nearest, from a scan of the rows. */
static inline struct sc_mfu sc_mfu_one(const struct sc_mfu_decode *d,
				       double batch, uint32_t kv)
{
	const struct sc_mfu_block *b = d->from.block;
	if (d->rules->lookup == SC_LOOKUP_NEAREST)
		return sc_mfu_at(&d->from, d->rules, batch, kv);
	uint32_t i = sc_mfu_span_of(d, kv);
	uint32_t low = i ? (i - 1) / 2 : 0;
	uint32_t between = i && i % 2 == 0 && i < 2 * b->ny;
	double t = between ? sc_mfu_locate(b->y, b->ny, kv, d->rules).t : 0;
	struct sc_mfu m = {
	    sc_mfu_between(&d->point[low], &d->point[low + between], t),
	    d->span[i].how};
	if (m.value >= SC_MFU_ZERO)
		return m;
	m = sc_mfu_repair(b, d->rules, batch, kv);
	m.how = sc_worse(m.how, d->from.how);
	return m;
}

/* Sums over the requests of kv * MFU (arithmetic) or of kv / MFU, each MFU at
 * (batch, kv); per provenance, the number of distinct shapes and their part of
 * kv; the least and the greatest MFU. */
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

static inline void sc_mfu_sum_spans(struct sc_mfu_decode *d,
				    struct sc_mfu_sums *sum, int arithmetic)
{
	uint32_t n = 2 * d->from.block->ny + 1;
	for (uint32_t i = 0; i < n; i++) {
		const struct sc_mfu_span *p = &d->span[i];
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

/* Adds a request that no span answers for.  Out of line: few are, and the loop
 * over the others needs the registers. */
__attribute__((noinline, unused)) static void
sc_mfu_sum_alone(const struct sc_mfu_decode *d, struct sc_mfu_sums *sum,
		 double batch, uint32_t kv, int arithmetic, int fresh,
		 struct sc_mfu_tally *tally)
{
	struct sc_mfu m = sc_mfu_one(d, batch, kv);
	sc_mfu_bound(tally, m.value);
	sc_mfu_sum_one(sum, m, kv, arithmetic, fresh);
}

/* Notes the MFU of each request that a span answers for. */
static inline void sc_mfu_bound_spans(const struct sc_mfu_decode *d,
				      const sc_step *step,
				      struct sc_mfu_tally *tally)
{
	for (uint32_t i = 0; i < step->n_decode; i++) {
		uint32_t kv = step->decode_ctx[i];
		const struct sc_mfu_span *p = d->span + sc_mfu_span_of(d, kv);
		if (!p->each)
			sc_mfu_bound(tally, p->base + p->slope * (kv - p->low));
	}
}

static inline struct sc_mfu_sums sc_mfu_sum(struct sc_mfu_decode *d,
					    const sc_step *step, double batch,
					    int arithmetic,
					    struct sc_mfu_tally *tally)
{
	struct sc_mfu_sums sum = {0};
	int by_span = d->rules->lookup != SC_LOOKUP_NEAREST;
	if (by_span)
		sc_mfu_set_batch(d, batch, arithmetic);
	for (uint32_t i = 0; i < step->n_decode; i++) {
		uint32_t kv = step->decode_ctx[i];
		int fresh = sc_distinct_first(&d->seen, kv);
		struct sc_mfu_span *p = d->span + sc_mfu_span_of(d, kv);
		if (!by_span || p->each) {
			sc_mfu_sum_alone(d, &sum, batch, kv, arithmetic, fresh,
					 tally);
			continue;
		}
		p->shapes += (uint32_t)fresh;
		p->kv += kv;
		p->moment += p->bent ? kv / (p->base + p->slope * (kv - p->low))
				     : kv * (kv - p->low);
	}
	for (uint32_t i = 0; i < step->n_decode; i++)
		sc_distinct_forget(&d->seen, step->decode_ctx[i]);
	if (by_span)
		sc_mfu_sum_spans(d, &sum, arithmetic);
	if (by_span && tally->has_bounds)
		sc_mfu_bound_spans(d, step, tally);
	return sum;
}

/* Returns the index of the bucket of a context. */
static inline uint32_t sc_mfu_kv_bucket_of(const struct sc_mfu_decode *d,
					   uint32_t kv)
{
	uint32_t low = 0, high = d->n_edges; /* the first edge >= kv */
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (d->edge[mid] < kv)
			low = mid + 1;
		else
			high = mid;
	}
	if (d->nearest && low > 0 && low < d->n_edges &&
	    kv - d->edge[low - 1] <= d->edge[low] - kv)
		low--;
	return low;
}

/* Groups the requests by bucket.  Returns the sum of the tops. */
static inline double sc_mfu_fill_buckets(struct sc_mfu_decode *d,
					 const sc_step *step)
{
	struct sc_mfu_kv_bucket *last = &d->bucket[d->n_edges];
	double tops = 0;
	for (uint32_t i = 0; i < d->n_edges; i++)
		d->bucket[i] = (struct sc_mfu_kv_bucket){.top = d->edge[i]};
	*last = (struct sc_mfu_kv_bucket){0};
	for (uint32_t i = 0; i < step->n_decode; i++) {
		uint32_t kv = step->decode_ctx[i];
		struct sc_mfu_kv_bucket *b =
		    &d->bucket[sc_mfu_kv_bucket_of(d, kv)];
		b->n++;
		b->kv += kv;
		if (b == last && b->top < kv)
			b->top = kv;
	}
	for (uint32_t i = 0; i <= d->n_edges; i++)
		tops += d->bucket[i].n * d->bucket[i].top;
	return tops;
}

/* Prices each bucket at its own number of requests and its top.  second:
 * seconds per token of context at MFU 1. */
static inline double sc_mfu_price_buckets(const struct sc_mfu_decode *d,
					  double second,
					  struct sc_mfu_tally *tally)
{
	double sum = 0;
	for (uint32_t i = 0; i <= d->n_edges; i++) {
		const struct sc_mfu_kv_bucket *b = &d->bucket[i];
		if (!(b->n > 0))
			continue;
		struct sc_mfu m = sc_mfu_at(&d->from, d->rules, b->n, b->top);
		sum += b->kv / m.value;
		sc_mfu_bound(tally, m.value);
		sc_mfu_count(tally, m.how, 1, b->kv / m.value * second);
	}
	return sum * second;
}

static inline double sc_mfu_price_longest(const struct sc_mfu_decode *d,
					  const sc_step *step, double n,
					  double tokens, double second,
					  struct sc_mfu_tally *tally)
{
	struct sc_mfu m =
	    sc_mfu_at(&d->from, d->rules, n, (double)sc_longest_decode(step));
	double seconds = tokens / m.value * second;
	sc_mfu_bound(tally, m.value);
	sc_mfu_count(tally, m.how, 1, seconds);
	return seconds;
}

/* Prices each request's own lookup, and takes the mean that `mode` says. */
static inline double sc_mfu_price_each(struct sc_mfu_decode *d,
				       const sc_step *step, double n,
				       int64_t mode, double tokens,
				       double second,
				       struct sc_mfu_tally *tally)
{
	int weighted =
	    mode == SC_DECODE_WEIGHTED || mode == SC_DECODE_WEIGHTED_SINGLE;
	int single =
	    mode == SC_DECODE_PER_REQUEST || mode == SC_DECODE_WEIGHTED_SINGLE;
	struct sc_mfu_sums sum =
	    sc_mfu_sum(d, step, single ? 1 : n, weighted, tally);
	double seconds = weighted ? tokens / (sum.weighted / sum.kv)
				  : sum.weighted * (tokens / sum.kv);
	seconds *= second;
	for (uint32_t i = 0; i < SC_N_PROVENANCE; i++)
		sc_mfu_count(tally, i, sum.n_of[i],
			     seconds * (sum.kv_of[i] / sum.kv));
	return seconds;
}

/* Returns the tokens that FLOPs are proportional to, by one of SC_FLOPS_*. */
static inline double sc_mfu_decode_tokens(struct sc_mfu_decode *d,
					  const sc_step *step,
					  const struct sc_load *l,
					  int64_t flops)
{
	if (flops == SC_FLOPS_MAX)
		return l->n * (double)sc_longest_decode(step);
	return flops == SC_FLOPS_BUCKET ? sc_mfu_fill_buckets(d, step)
					: l->context;
}

/* Prices the decodes of a step with contexts that sum to more than 0; mode is
 * one of SC_DECODE_*, flops one of SC_FLOPS_*; second: seconds per token at MFU
 * 1. */
static inline struct sc_mfu_attention
sc_mfu_decode_price(struct sc_mfu_decode *d, const sc_step *step,
		    const struct sc_load *l, int64_t mode, int64_t flops,
		    double second, struct sc_mfu_tally *tally)
{
	struct sc_mfu_attention a = {0, 0};
	a.tokens = sc_mfu_decode_tokens(d, step, l, flops);
	if (mode == SC_DECODE_KV_BUCKET && flops != SC_FLOPS_BUCKET)
		sc_mfu_fill_buckets(d, step);
	if (mode == SC_DECODE_KV_BUCKET)
		a.seconds = sc_mfu_price_buckets(
		    d, second * (a.tokens / l->context), tally);
	else if (mode == SC_DECODE_MAX)
		a.seconds = sc_mfu_price_longest(d, step, l->n, a.tokens,
						 second, tally);
	else
		a.seconds = sc_mfu_price_each(d, step, l->n, mode, a.tokens,
					      second, tally);
	return a;
}
#endif
