/* stepcost/mfu/roofline.h -- header-only helper for plugins: the roofline that
 * takes its efficiency from measured MFU tables.  Every defect that was
 * reported in it is a named knob (mfu/knobs.inc).
 *
 *   step  = mix(phase) + host, rounded to whole us
 *   phase = max(GEMMs + attention, bytes / bandwidth)
 *   GEMM, attention = FLOPs / (peak MFU) / tp^exponent of the phase
 *
 * roofline_v2 is this and nothing else.  A plugin that changes one thing
 * includes this header and sets that thing.  Formulas and reports:
 * plugins/roofline_v2/roofline_v2.md.
 *
 *   static int32_t create(void **inst, const sc_setup *setup,
 *                         const void *block, sc_error *err)
 *   {
 *           struct sc_mfu_knobs k = *(const struct sc_mfu_knobs *)block;
 *           k.decode_attention_mfu = SC_DECODE_HARMONIC;
 *           return sc_mfu_create(inst, setup, &k, err);
 *   }
 *   .destroy = sc_mfu_destroy, .eval = sc_mfu_eval,
 *   .kernel = sc_mfu_roofline_kernel
 */
#ifndef SC_MFU_ROOFLINE_H
#define SC_MFU_ROOFLINE_H
#include "stepcost/mfu/instance.h"
#include "stepcost/mfu/kernel.h"

/* ---- GEMMs ---- */

/* Returns the seconds of all GEMMs with M rows on each of tp ranks.  count: 1
 * if the phase has not counted these shapes yet. */
static inline double sc_mfu_gemms(struct sc_mfu_roofline *s, double m,
				  int phase, int count,
				  struct sc_mfu_tally *tally)
{
	const struct sc_mfu_rules *rules = &s->rules[phase];
	double of[SC_MFU_KINDS], sum = 0, head = 0;
	double share = s->gemm_share[phase];
	for (uint32_t i = 0; i < s->n_kinds; i++) {
		const struct sc_mfu_kind *g = &s->kind[i];
		struct sc_mfu mfu = sc_mfu_at(&g->from, rules, 1, m);
		double floor = g->weight_bytes / s->bandwidth;
		double priced = 2 * m * g->k * g->n / (s->m.peak * mfu.value);
		int held = s->k.gemm_memory_floor && floor > priced;
		double times = g->head ? 1 : s->m.layers;
		of[i] = held ? floor : priced;
		sc_mfu_count(tally, mfu.how, count && !g->again,
			     held ? 0 : of[i] * share * times);
		if (g->head)
			head = of[i] * share;
		else
			sum += of[i];
	}
	if (s->k.gemm_sum == SC_GEMM_ONCE)
		return sum * share * s->m.layers + head;
	sum = 0;
	for (double layer = 0; layer < s->m.layers; layer++)
		for (uint32_t i = 0; i < 7; i++)
			sum += of[i] * share;
	return sum + head;
}

/* Returns the seconds of the plugin's own GEMMs, or of these. */
static inline double sc_mfu_ask_gemms(struct sc_mfu_roofline *s, double m,
				      int phase, int count,
				      struct sc_mfu_tally *tally)
{
	return s->hooks.gemms ? s->hooks.gemms(s, m, phase, count, tally)
			      : sc_mfu_gemms(s, m, phase, count, tally);
}

/* ---- decode attention ---- */

/* Returns seconds on each rank. */
static inline double sc_mfu_decode_attention(struct sc_mfu_roofline *s,
					     const sc_step *step,
					     const struct sc_load *l,
					     struct sc_mfu_tally *tally)
{
	/* Seconds per token of kv at MFU 1, on each rank. */
	double second =
	    s->att_per_token / s->m.peak * s->attention_share[SC_DECODE];
	struct sc_mfu_attention a = {0, 0};
	if (l->context > 0)
		a = sc_mfu_decode_price(
		    &s->decode, step, l, s->k.decode_attention_mfu,
		    s->k.decode_attention_flops, second, tally);
	tally->flops = a.tokens * s->att_per_token;
	return a.seconds;
}

/* ---- prefill ---- */

/* The requests of one prefill bucket. */
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

/* A prefill request: the length that it is looked up by, and the bucket of that
 * length; area: rows * length that it is priced at. */
struct sc_mfu_prompt {
	double new_tokens, key, area;
	uint32_t bucket;
};

static inline struct sc_mfu_prompt
sc_mfu_prompt_of(const struct sc_mfu_roofline *s, const sc_step *step,
		 uint32_t i)
{
	double new_tokens = step->prefill_new[i];
	double length = step->prefill_ctx[i] + new_tokens;
	int by_tokens = s->k.prefill_attention_rows == SC_ROWS_TOKENS;
	struct sc_mfu_prompt p = {.new_tokens = new_tokens, .key = length};
	if (s->k.bucket_key == SC_KEY_NEW)
		p.key = new_tokens;
	p.bucket = sc_mfu_bucket_of(s, p.key);
	if (s->k.prefill_attention_length == SC_LENGTH_BUCKET)
		length = s->bucket[p.bucket].top;
	else if (s->k.prefill_attention_length == SC_LENGTH_HYBRID)
		length = fmin(s->bucket[p.bucket].top, fmax(length, 64));
	p.area = (by_tokens ? new_tokens : 1) * length;
	return p;
}

static inline void sc_mfu_group_prefills(const struct sc_mfu_roofline *s,
					 const sc_step *step,
					 struct sc_mfu_group *group)
{
	for (uint32_t i = 0; i < step->n_prefill; i++) {
		struct sc_mfu_prompt p = sc_mfu_prompt_of(s, step, i);
		group[p.bucket].n++;
		group[p.bucket].new_tokens += p.new_tokens;
		group[p.bucket].area += p.area;
	}
}

static inline double sc_mfu_group_rows(const struct sc_mfu_roofline *s,
				       const struct sc_mfu_group *g)
{
	return s->k.prefill_gemm_rows == SC_ROWS_TOKENS ? g->new_tokens : g->n;
}

/* Returns the seconds of the GEMMs of all buckets. */
static inline double sc_mfu_prefill_gemms(struct sc_mfu_roofline *s,
					  const sc_step *step,
					  struct sc_mfu_tally *tally)
{
	struct sc_mfu_group group[SC_MFU_BUCKETS] = {{0, 0, 0}};
	double sum = 0;
	sc_mfu_group_prefills(s, step, group);
	for (uint32_t i = 0; i < s->n_buckets; i++) {
		if (!(group[i].n > 0))
			continue;
		double m = sc_mfu_group_rows(s, &group[i]);
		int fresh = 1;
		for (uint32_t j = 0; j < i; j++)
			fresh &= sc_mfu_group_rows(s, &group[j]) != m;
		sum += sc_mfu_ask_gemms(s, m, SC_PREFILL, fresh, tally);
	}
	return sum;
}

/* Returns the MFU of a bucket.  A zero that zero_mfu = error refuses is only
 * an error where a step needs it. */
static inline struct sc_mfu sc_mfu_of_bucket(const struct sc_mfu_roofline *s,
					     uint32_t i)
{
	if (isnan(s->bucket[i].mfu.value))
		return sc_mfu_at(&s->prefill_from, &s->rules[SC_PREFILL], 1,
				 s->bucket[i].top);
	return s->bucket[i].mfu;
}

/* Each request at the MFU of its own length. */
static inline double sc_mfu_prefill_by_length(struct sc_mfu_roofline *s,
					      const sc_step *step,
					      double second,
					      struct sc_mfu_tally *tally)
{
	double sum = 0, area = 0;
	for (uint32_t i = 0; i < step->n_prefill; i++) {
		struct sc_mfu_prompt p = sc_mfu_prompt_of(s, step, i);
		struct sc_mfu mfu = sc_mfu_at(&s->prefill_from,
					      &s->rules[SC_PREFILL], 1, p.key);
		int fresh = sc_distinct_first(&s->decode.seen, (uint64_t)p.key);
		sum += p.area * second / mfu.value;
		area += p.area;
		sc_mfu_bound(tally, mfu.value);
		sc_mfu_count(tally, mfu.how, (uint32_t)fresh,
			     p.area * second / mfu.value);
	}
	for (uint32_t i = 0; i < step->n_prefill; i++)
		sc_distinct_forget(&s->decode.seen,
				   (uint64_t)sc_mfu_prompt_of(s, step, i).key);
	tally->flops = area;
	return sum;
}

/* Each bucket at the MFU of its top. */
static inline double sc_mfu_prefill_by_bucket(struct sc_mfu_roofline *s,
					      const sc_step *step,
					      double second,
					      struct sc_mfu_tally *tally)
{
	struct sc_mfu_group group[SC_MFU_BUCKETS] = {{0, 0, 0}};
	double sum = 0, area = 0;
	sc_mfu_group_prefills(s, step, group);
	for (uint32_t i = 0; i < s->n_buckets; i++) {
		if (!(group[i].n > 0))
			continue;
		struct sc_mfu mfu = sc_mfu_of_bucket(s, i);
		double attention = group[i].area * second / mfu.value;
		sum += attention;
		area += group[i].area;
		sc_mfu_bound(tally, mfu.value);
		sc_mfu_count(tally, mfu.how, 1, attention);
	}
	tally->flops = area;
	return sum;
}

/* Returns seconds on each rank. */
static inline double sc_mfu_prefill_attention(struct sc_mfu_roofline *s,
					      const sc_step *step,
					      struct sc_mfu_tally *tally)
{
	double per_area = s->att_per_token * s->k.causal_mask /
			  s->k.prefill_attention_divisor;
	double second = per_area / s->m.peak * s->attention_share[SC_PREFILL];
	double seconds = s->k.prefill_attention_mfu == SC_PREFILL_LENGTH
			     ? sc_mfu_prefill_by_length(s, step, second, tally)
			     : sc_mfu_prefill_by_bucket(s, step, second, tally);
	tally->flops *= per_area;
	return seconds;
}

/* ---- the step ---- */

static inline double sc_mfu_memory(const struct sc_mfu_roofline *s,
				   const struct sc_load *l, double n_decode,
				   int phase)
{
	double own_efficiency = phase == SC_DECODE ? s->k.decode_bw_efficiency
						   : s->k.prefill_bw_efficiency;
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

static inline struct sc_host_us sc_mfu_host(struct sc_mfu_roofline *s,
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

/* Adds up what tables priced in a step.  A memory-bound phase counts lookups
 * but no time, because its bytes set its time. */
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

/* ---- FLOPs, bytes, MFU in effect ---- */

/* Returns FLOPs of the tally / (peak seconds), on each rank.  It is taken from
 * the time, so that it is what a hook came to; within rounding of the least or
 * the greatest MFU that was looked up it is that. */
static inline double sc_mfu_in_effect(const struct sc_mfu_roofline *s,
				      int phase, double seconds,
				      const struct sc_mfu_tally *t)
{
	double mfu =
	    t->flops * s->attention_share[phase] / (s->m.peak * seconds);
	if (!(seconds > 0))
		return 0;
	if (fabs(mfu / t->low - 1) < 1e-12)
		return t->low;
	return fabs(mfu / t->high - 1) < 1e-12 ? t->high : mfu;
}

/* Returns the attention FLOPs by the knobs, for a hook that tells none. */
static inline double sc_mfu_flops_by_knobs(struct sc_mfu_roofline *s,
					   const sc_step *step, int phase,
					   const struct sc_load *l)
{
	double area = 0;
	if (phase == SC_DECODE)
		return s->att_per_token *
		       sc_mfu_decode_tokens(&s->decode, step, l,
					    s->k.decode_attention_flops);
	for (uint32_t i = 0; i < step->n_prefill; i++)
		area += sc_mfu_prompt_of(s, step, i).area;
	return area * s->att_per_token * s->k.causal_mask /
	       s->k.prefill_attention_divisor;
}

/* Reports FLOPs, MFU in effect and bytes. */
static inline void sc_mfu_report_work(sc_result *out, struct sc_mfu_roofline *s,
				      const sc_step *step,
				      const struct sc_load load[2],
				      const struct sc_phase phase[2],
				      struct sc_mfu_tally tally[2])
{
	int by_tokens = s->k.prefill_gemm_rows == SC_ROWS_TOKENS;
	const double rows[2] = {by_tokens ? load[SC_PREFILL].new_tokens
					  : load[SC_PREFILL].n,
				load[SC_DECODE].n};
	for (int i = 0; i < 2; i++) {
		struct sc_mfu_tally *t = &tally[i];
		if (!(load[i].n > 0))
			continue;
		if (isnan(t->flops))
			t->flops = sc_mfu_flops_by_knobs(s, step, i, &load[i]);
		out->gemm_flops[i] = rows[i] * s->gemm_flops_per_row;
		out->attention_flops[i] = t->flops;
		out->attention_mfu[i] =
		    sc_mfu_in_effect(s, i, phase[i].attention, t);
		out->attention_mfu_low[i] = t->low <= t->high ? t->low : 0;
		out->attention_mfu_high[i] = t->low <= t->high ? t->high : 0;
	}
	if (load[SC_PREFILL].n + load[SC_DECODE].n > 0)
		sc_work_report(out, &s->m, load, &s->discounts, s->weight_bytes,
			       s->m.tp);
}

/* ---- what a plugin may replace ---- */

static inline double sc_mfu_ask_attention(struct sc_mfu_roofline *s,
					  const sc_step *step, int phase,
					  const struct sc_load *l,
					  struct sc_mfu_tally *tally)
{
	const struct sc_mfu_hooks *h = &s->hooks;
	if (phase == SC_DECODE)
		return h->decode_attention
			   ? h->decode_attention(s, step, l, tally)
			   : sc_mfu_decode_attention(s, step, l, tally);
	return h->prefill_attention ? h->prefill_attention(s, step, tally)
				    : sc_mfu_prefill_attention(s, step, tally);
}

static inline double sc_mfu_ask_memory(const struct sc_mfu_roofline *s,
				       const struct sc_load *l, double n_decode,
				       int phase)
{
	return s->hooks.memory ? s->hooks.memory(s, l, n_decode, phase)
			       : sc_mfu_memory(s, l, n_decode, phase);
}

/* Prices both phases, each as if the step had no other. */
static inline void sc_mfu_price(struct sc_mfu_roofline *s, const sc_step *step,
				const struct sc_load load[2],
				struct sc_phase phase[2],
				struct sc_mfu_tally tally[2])
{
	double n_decode = load[SC_DECODE].n;
	const uint32_t n[2] = {step->n_prefill, step->n_decode};
	for (int i = 0; i < 2; i++) {
		if (!n[i])
			continue;
		phase[i].gemm =
		    i == SC_PREFILL
			? sc_mfu_prefill_gemms(s, step, &tally[i])
			: sc_mfu_ask_gemms(s, n_decode, i, 1, &tally[i]);
		phase[i].attention =
		    sc_mfu_ask_attention(s, step, i, &load[i], &tally[i]);
		phase[i].memory = sc_mfu_ask_memory(s, &load[i], n_decode, i);
	}
}

static inline int32_t sc_mfu_eval(void *inst, const sc_step *step,
				  sc_result *out, sc_error *err)
{
	struct sc_mfu_roofline *s = (struct sc_mfu_roofline *)inst;
	struct sc_load load[2] = {sc_load_prefill(step), sc_load_decode(step)};
	struct sc_phase phase[2] = {{0, 0, 0}, {0, 0, 0}};
	const int told = SC_HAS(out, attention_mfu_high);
	struct sc_mfu_tally tally[2] = {sc_mfu_no_tally(told),
					sc_mfu_no_tally(told)};
	int32_t rc = sc_dense_step(&s->m, step, err);
	if (rc != SC_OK)
		return rc;
	s->zero.block = NULL;
	sc_mfu_price(s, step, load, phase, tally);
	if (s->zero.block)
		return sc_mfu_refuse_zero(&s->zero, err);
	struct sc_mix mix = s->hooks.mix ? s->hooks.mix(s, phase, load)
					 : sc_mfu_mix(s, phase, load);
	struct sc_host_us host =
	    s->hooks.host ? s->hooks.host(s, step) : sc_mfu_host(s, step);
	sc_step_report(out, step->n_prefill > 0, step->n_decode > 0, phase,
		       &mix, &host);
	if (step->n_prefill || step->n_decode)
		out->total_us = fmax(out->total_us, s->k.min_step_us);
	sc_mfu_report(out, tally, phase, &mix);
	if (told)
		sc_mfu_report_work(out, s, step, load, phase, tally);
	return SC_OK;
}

/* ---- kernels ---- */

/* The longest batch of a kernel that goes through a hook. */
enum { SC_MFU_KERNEL_BATCH = 256 };

/* Returns 1 if a hook answers for attention of the kernel: it is of the model's
 * shape. */
static inline int sc_mfu_is_hooked(const struct sc_mfu_roofline *s,
				   const sc_kernel *q)
{
	double kv_heads = q->kv_heads ? q->kv_heads : q->heads;
	int is_hooked = (q->op == SC_OP_DECODE && s->hooks.decode_attention) ||
			(q->op == SC_OP_PREFILL && s->hooks.prefill_attention);
	return is_hooked && q->heads == s->m.heads &&
	       kv_heads == s->m.kv_heads && q->head_dim == s->m.head_dim &&
	       (q->ranks ? q->ranks : 1) == s->m.tp &&
	       q->batch <= SC_MFU_KERNEL_BATCH;
}

/* Prices attention of a kernel as that of a step of like requests. */
static inline void sc_mfu_price_hooked(struct sc_mfu_roofline *s,
				       const sc_kernel *q,
				       sc_kernel_result *out)
{
	uint32_t context[SC_MFU_KERNEL_BATCH], fresh[SC_MFU_KERNEL_BATCH];
	uint32_t n = q->batch ? (uint32_t)q->batch : 1;
	int phase = q->op == SC_OP_DECODE ? SC_DECODE : SC_PREFILL;
	for (uint32_t i = 0; i < n; i++) {
		context[i] = (uint32_t)q->context;
		fresh[i] = (uint32_t)q->new_tokens;
	}
	sc_step step = {.size = sizeof step};
	if (phase == SC_DECODE) {
		step.n_decode = n;
		step.decode_ctx = context;
	} else {
		step.n_prefill = n;
		step.prefill_ctx = context;
		step.prefill_new = fresh;
	}
	struct sc_load load =
	    phase == SC_DECODE ? sc_load_decode(&step) : sc_load_prefill(&step);
	struct sc_mfu_tally tally = sc_mfu_no_tally(1);
	double seconds = sc_mfu_ask_attention(s, &step, phase, &load, &tally);
	out->latency_us = seconds / s->m.layers * 1e6;
	out->mfu = sc_mfu_in_effect(s, phase, seconds, &tally);
	for (uint32_t how = 0; how < SC_N_PROVENANCE; how++)
		if (tally.n[how])
			out->provenance = how;
}

/* Prices one kernel by the model's peak: no memory floor, one layer, no
 * overheads. */
static inline int32_t sc_mfu_roofline_kernel(void *inst, const sc_kernel *q,
					     sc_kernel_result *out,
					     sc_error *err)
{
	struct sc_mfu_roofline *s = (struct sc_mfu_roofline *)inst;
	struct sc_mfu_pricing p = {
	    .tables = &s->tables,
	    .rules = &s->rules[q->op == SC_OP_DECODE ? SC_DECODE : SC_PREFILL],
	    .gemm_peak = s->m.peak,
	    .attention_peak = s->m.peak,
	    .softmax_flops = (int)s->k.softmax_flops,
	    .causal_share = s->k.causal_mask / s->k.prefill_attention_divisor};
	s->zero.block = NULL;
	int32_t rc = sc_mfu_price_kernel(&p, q, out, err);
	if (rc == SC_OK && sc_mfu_is_hooked(s, q))
		sc_mfu_price_hooked(s, q, out);
	return rc;
}
#endif
