/* stepcost/mfu/roofline.h -- header-only helper for plugins: the roofline that
 * takes its efficiency from measured MFU tables.  Every defect that was
 * reported in it is a named knob (mfu/knobs.inc).
 *
 *   step  = mix(phase) + host, rounded to whole us
 *   phase = max(GEMMs + attention, bytes / bandwidth)
 *   GEMM, attention = FLOPs / (peak MFU)
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

static inline double sc_mfu_decode_attention(struct sc_mfu_roofline *s,
					     const sc_step *step,
					     const struct sc_load *l,
					     struct sc_mfu_tally *tally)
{
	/* Seconds per token of kv at MFU 1, on each rank. */
	double second = s->att_per_token / s->m.peak * s->m.inv_tp;
	/* the sum of kv; times att_per_token it is FLOPs */
	double tokens = l->context;
	if (s->k.decode_attention_flops == SC_FLOPS_MAX)
		tokens = l->n * (double)sc_longest_decode(step);
	if (!(l->context > 0))
		return 0;
	return sc_mfu_decode_seconds(&s->decode, step, l,
				     s->k.decode_attention_mfu, tokens, second,
				     tally);
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

/* Prices both phases, each as if the step had no other. */
static inline void sc_mfu_price(struct sc_mfu_roofline *s, const sc_step *step,
				const struct sc_load load[2],
				struct sc_phase phase[2],
				struct sc_mfu_tally tally[2])
{
	double n_decode = load[SC_DECODE].n;
	if (step->n_prefill) {
		struct sc_phase *p = &phase[SC_PREFILL];
		*p = sc_mfu_prefill(s, step, &tally[SC_PREFILL]);
		p->memory = sc_mfu_memory(s, &load[SC_PREFILL], n_decode,
					  s->k.prefill_bw_efficiency);
	}
	if (step->n_decode) {
		struct sc_phase *p = &phase[SC_DECODE];
		struct sc_mfu_tally *t = &tally[SC_DECODE];
		p->gemm = sc_mfu_gemms(s, n_decode, 1, t);
		p->attention =
		    sc_mfu_decode_attention(s, step, &load[SC_DECODE], t);
		p->memory = sc_mfu_memory(s, &load[SC_DECODE], n_decode,
					  s->k.decode_bw_efficiency);
	}
}

static inline int32_t sc_mfu_eval(void *inst, const sc_step *step,
				  sc_result *out, sc_error *err)
{
	struct sc_mfu_roofline *s = (struct sc_mfu_roofline *)inst;
	struct sc_load load[2] = {sc_load_prefill(step), sc_load_decode(step)};
	struct sc_phase phase[2] = {{0, 0, 0}, {0, 0, 0}};
	struct sc_mfu_tally tally[2] = {{{0}, {0}}, {{0}, {0}}};
	int32_t rc = sc_dense_step(&s->m, step, err);
	if (rc != SC_OK)
		return rc;
	sc_mfu_price(s, step, load, phase, tally);
	struct sc_mix mix = sc_mfu_mix(s, phase, load);
	struct sc_host_us host = sc_mfu_host(s, step);
	sc_step_report(out, step->n_prefill > 0, step->n_decode > 0, phase,
		       &mix, &host);
	if (step->n_prefill || step->n_decode)
		out->total_us = fmax(out->total_us, s->k.min_step_us);
	sc_mfu_report(out, tally, phase, &mix);
	return SC_OK;
}

/* Prices one kernel by the model's peak: no memory floor, one layer, no
 * overheads. */
static inline int32_t sc_mfu_roofline_kernel(void *inst, const sc_kernel *q,
					     sc_kernel_result *out,
					     sc_error *err)
{
	const struct sc_mfu_roofline *s = (const struct sc_mfu_roofline *)inst;
	struct sc_mfu_pricing p = {
	    .tables = &s->tables,
	    .rules = &s->rules,
	    .gemm_peak = s->m.peak,
	    .attention_peak = s->m.peak,
	    .softmax_flops = (int)s->k.softmax_flops,
	    .causal_share = s->k.causal_mask / s->k.prefill_attention_divisor};
	return sc_mfu_price_kernel(&p, q, out, err);
}
#endif
