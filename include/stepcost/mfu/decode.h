/* stepcost/mfu/decode.h -- header-only helper for plugins: decode attention of
 * a batch with different contexts, priced by a table of MFU.  The FLOPs of a
 * request are proportional to its kv.  The time is proportional to
 *
 *   max           tokens / MFU(batch, longest kv)
 *   weighted      tokens / (sum of kv MFU(batch, kv) / tokens)
 *   per_request   sum of kv / MFU(1, kv)
 *   harmonic      sum of kv / MFU(batch, kv)
 *   kv_bucket     sum of kv / MFU(n, 2^c) over buckets of n requests up to 2^c
 *
 * Along kv the MFU is linear between two points of the table, so the sum over a
 * step is taken per piece (a span) and not per request.
 *
 *   struct sc_mfu_decode d = {0};
 *   int32_t rc = sc_mfu_decode_new(&d, answer, &rules);
 *   double seconds = sc_mfu_decode_seconds(&d, step, &load,
 *                                          SC_DECODE_WEIGHTED, tokens,
 *                                          seconds_per_token_at_mfu_1, &tally);
 *   sc_mfu_decode_free(&d);                in any case
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
	/* Of the step: */
	uint32_t shapes; /* number of distinct kv */
	/* Sums of kv and of kv * (kv - low); where `bent`, moment sums kv /
	 * MFU. */
	double kv, moment;
};

/* A block of a decode table, and memory to price a step with it. */
struct sc_mfu_decode {
	struct sc_mfu_answer from;
	const struct sc_mfu_rules *rules;
	struct sc_distinct seen;
	struct sc_mfu_point *point; /* [ny] at the batch of the step */
	/* [2 * ny + 1]: below point 0, on 0, between 0 and 1, on 1, ...
	 * above */
	struct sc_mfu_span *span;
	/* Number of points of the kv axis at or below 2^i. */
	uint32_t octave[33];
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

static inline void sc_mfu_decode_free(struct sc_mfu_decode *d)
{
	sc_distinct_free(&d->seen);
	free(d->point);
	free(d->span);
}

/* Computes point[] and span[] for a batch. */
static inline void sc_mfu_set_batch(struct sc_mfu_decode *d, double batch,
				    int arithmetic)
{
	const struct sc_mfu_block *b = d->from.block;
	struct sc_place x = sc_locate(b->x, b->nx, batch);
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
		span->each = from < SC_MFU_ZERO || to < SC_MFU_ZERO ||
			     (between && (p->den != 1 || q->den != 1));
		span->bent = between && !arithmetic;
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
	double t = between ? (kv - b->y[low]) / (b->y[low + 1] - b->y[low]) : 0;
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
 * kv. */
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

static inline struct sc_mfu_sums sc_mfu_sum(struct sc_mfu_decode *d,
					    const sc_step *step, double batch,
					    int arithmetic)
{
	struct sc_mfu_sums sum = {0};
	int linear = d->rules->lookup == SC_LOOKUP_LINEAR;
	if (linear)
		sc_mfu_set_batch(d, batch, arithmetic);
	for (uint32_t i = 0; i < step->n_decode; i++) {
		uint32_t kv = step->decode_ctx[i];
		int fresh = sc_distinct_first(&d->seen, kv);
		struct sc_mfu_span *p = d->span + sc_mfu_span_of(d, kv);
		if (!linear || p->each) {
			sc_mfu_sum_one(&sum, sc_mfu_one(d, batch, kv), kv,
				       arithmetic, fresh);
			continue;
		}
		p->shapes += (uint32_t)fresh;
		p->kv += kv;
		p->moment += p->bent ? kv / (p->base + p->slope * (kv - p->low))
				     : kv * (kv - p->low);
	}
	for (uint32_t i = 0; i < step->n_decode; i++)
		sc_distinct_forget(&d->seen, step->decode_ctx[i]);
	if (linear)
		sc_mfu_sum_spans(d, &sum, arithmetic);
	return sum;
}

/* Prices each bucket (the kv lengths up to the same power of two, at least
 * 1024) at its own number of requests and that power.  Returns the sum of kv /
 * MFU. */
static inline double sc_mfu_kv_buckets(const struct sc_mfu_decode *d,
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
			struct sc_mfu m =
			    sc_mfu_at(&d->from, d->rules, n_of[c], ldexp(1, c));
			sum += kv_of[c] / m.value;
			sc_mfu_count(tally, m.how, 1,
				     kv_of[c] / m.value * seconds);
		}
	return sum;
}

/* Returns the seconds of a step's decodes; `by` is one of SC_DECODE_*.  tokens:
 * the sum of kv that counts; second: seconds per token of kv at MFU 1. */
static inline double sc_mfu_decode_seconds(struct sc_mfu_decode *d,
					   const sc_step *step,
					   const struct sc_load *l, int64_t by,
					   double tokens, double second,
					   struct sc_mfu_tally *tally)
{
	if (by == SC_DECODE_KV_BUCKET)
		return sc_mfu_kv_buckets(d, step, tally, second) * second;
	if (by == SC_DECODE_MAX) {
		struct sc_mfu m = sc_mfu_at(&d->from, d->rules, l->n,
					    (double)sc_longest_decode(step));
		double seconds = tokens / m.value * second;
		sc_mfu_count(tally, m.how, 1, seconds);
		return seconds;
	}
	int weighted = by == SC_DECODE_WEIGHTED;
	double batch = by == SC_DECODE_PER_REQUEST ? 1 : l->n;
	struct sc_mfu_sums sum = sc_mfu_sum(d, step, batch, weighted);
	double seconds = sum.weighted * second;
	if (weighted)
		seconds = tokens / (sum.weighted / tokens) * second;
	for (uint32_t i = 0; i < SC_N_PROVENANCE; i++)
		sc_mfu_count(tally, i, sum.n_of[i],
			     seconds * (sum.kv_of[i] / sum.kv));
	return seconds;
}
#endif
