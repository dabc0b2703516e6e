/* roofline_v1: prices a step by a roofline with calibrated efficiencies;
 * roofline_v1.md. */
#include <math.h>
#include <stdlib.h>
#include "stepcost/knob.h"
#include "stepcost/roofline.h"

struct knobs {
	double bw_eff_constant, prefill_bw_factor, decode_bw_factor;
	double mfu_prefill, mfu_prefill_multiplier;
	double mfu_decode, mfu_decode_multiplier;
	double vector_peak_fraction;
	double tp_scaling_exponent, decode_tp_scaling_exponent;
	double t_overhead_us, allreduce_latency_us;
	double prefill_overhead_us, mixed_prefill_overhead_us;
};

#define DOUBLE(field, def, min, max, unit, help)                               \
	SC_DOUBLE(struct knobs, field, def, min, max, unit, help)
static const sc_knob *const knobs[] = {
    DOUBLE(bw_eff_constant, "0.72", 1e-6, 10, "1",
	   "Share of the peak memory bandwidth that any step reaches."),
    DOUBLE(prefill_bw_factor, "0.75", 1e-6, 10, "1",
	   "Further share of it that prefill reaches."),
    DOUBLE(decode_bw_factor, "0.92", 1e-6, 10, "1",
	   "Further share of it that decode reaches."),
    DOUBLE(mfu_prefill, "0.65", 1e-6, 10, "1",
	   "Model FLOPs utilization of prefill GEMMs."),
    DOUBLE(mfu_prefill_multiplier, "1.40", 1e-6, 100, "1",
	   "Factor on mfu_prefill, fitted to H100 runs."),
    DOUBLE(mfu_decode, "0.12", 1e-6, 10, "1",
	   "Model FLOPs utilization of decode GEMMs."),
    DOUBLE(mfu_decode_multiplier, "1.80", 1e-6, 100, "1",
	   "Factor on mfu_decode, fitted to H100 runs."),
    DOUBLE(vector_peak_fraction, "0.10", 1e-6, 10, "1",
	   "Peak rate of attention, as a share of the GEMM peak."),
    DOUBLE(tp_scaling_exponent, "0.13", 0, 10, "1",
	   "Prefill compute shrinks by tp to this power: 1 is ideal."),
    DOUBLE(decode_tp_scaling_exponent, "1.78", 0, 10, "1",
	   "Decode shrinks by tp to this power; 0 counts as 1."),
    DOUBLE(t_overhead_us, "500", 0, 1e9, "us",
	   "Host time of a step of one or two requests; grows with the log of "
	   "the batch."),
    DOUBLE(allreduce_latency_us, "20", 0, 1e9, "us",
	   "Time of one all-reduce; two per layer if tp > 1."),
    DOUBLE(prefill_overhead_us, "500", 0, 1e9, "us",
	   "Host time per prefill request in a step of prefills alone."),
    DOUBLE(mixed_prefill_overhead_us, "150", 0, 1e9, "us",
	   "Host time per prefill request in a mixed step."),
};

/* The part of the price that steps of n decodes and no prompts share. */
struct decodes {
	uint32_t n; /* 0: none yet */
	double gemm_s;
	struct sc_decode_bytes bytes;
	struct sc_host_us host;
	struct sc_host_s host_s;
};
enum { DECODES = 128 };

struct inst {
	struct sc_dense m;
	struct sc_host_costs host;
	/* by phase; FLOP and byte rates with tensor parallelism included */
	double gemm_rate[2], vector_rate[2], weight_s[2], byte_s[2];
	/* of all layers: FLOP of GEMMs per token, of attention per token and
	 * token in its context */
	double token_flops, context_flops;
	/* of the last steps of n decodes, at n % DECODES: a batch grows and
	 * shrinks by a few, and comes back to sizes that it had */
	struct decodes decodes[DECODES];
};

static const struct sc_discounts discounts = {
    .kv_one = .80, .kv_many = .92, .act_one = .75, .act_many = .85};

static void set_rates(struct inst *s, const struct knobs *k)
{
	const struct sc_dense *m = &s->m;
	double decode_power = k->decode_tp_scaling_exponent;
	double ep = pow(m->tp, k->tp_scaling_exponent);
	double ed = pow(m->tp, decode_power != 0 ? decode_power : 1);
	double vector = m->peak * k->vector_peak_fraction;
	double bandwidth = m->bandwidth * k->bw_eff_constant;
	double per_token = 2 * (m->hidden * (m->q_dim + 2 * m->kv_dim) +
				m->q_dim * m->hidden + 3 * m->hidden * m->ffn);
	double per_context = 4 * m->heads * m->head_dim + 4 * m->heads;
	s->token_flops = per_token * m->layers;
	s->context_flops = per_context * m->layers;
	s->gemm_rate[SC_PREFILL] =
	    m->peak * k->mfu_prefill * k->mfu_prefill_multiplier * ep;
	s->gemm_rate[SC_DECODE] =
	    m->peak * k->mfu_decode * k->mfu_decode_multiplier * ed;
	s->vector_rate[SC_PREFILL] = vector * ep;
	s->vector_rate[SC_DECODE] = vector * ed;
	s->byte_s[SC_PREFILL] = m->inv_tp / (bandwidth * k->prefill_bw_factor);
	s->byte_s[SC_DECODE] = 1 / ed / (bandwidth * k->decode_bw_factor);
	for (int i = 0; i < 2; i++)
		s->weight_s[i] = m->weight_bytes * s->byte_s[i];
}

static int32_t create(void **inst, const sc_setup *setup, const void *block,
		      sc_error *err)
{
	const struct knobs *k = block;
	struct inst *s = calloc(1, sizeof *s);
	if (!s)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	int32_t rc = sc_dense_of(&s->m, setup, err);
	if (rc != SC_OK) {
		free(s);
		return rc;
	}
	s->host = (struct sc_host_costs){
	    .t_overhead_us = k->t_overhead_us,
	    .allreduce_latency_us = k->allreduce_latency_us,
	    .prefill_overhead_us = k->prefill_overhead_us,
	    .mixed_prefill_overhead_us = k->mixed_prefill_overhead_us,
	};
	set_rates(s, k);
	*inst = s;
	return SC_OK;
}

static struct sc_phase price(const struct inst *s, const struct sc_load *l,
			     int which)
{
	return (struct sc_phase){
	    .gemm = s->token_flops * l->new_tokens / s->gemm_rate[which],
	    .attention = s->context_flops * l->context / s->vector_rate[which],
	    .memory = s->weight_s[which] +
		      sc_dyn_bytes(&s->m, l, &discounts) * s->byte_s[which],
	};
}

/* Returns 1 if the host asks for FLOPs and bytes. */
static int tells_work(const sc_result *out)
{
	return SC_HAS(out, attention_mfu_high);
}

/* Reports FLOPs, and the bytes of each rank. */
static void report_work(const struct inst *s, const struct sc_load load[2],
			sc_result *out)
{
	for (int i = 0; i < 2; i++) {
		if (!(load[i].n > 0))
			continue;
		out->gemm_flops[i] = s->token_flops * load[i].new_tokens;
		out->attention_flops[i] = s->context_flops * load[i].context;
	}
	sc_work_report(out, &s->m, load, &discounts, s->m.weight_bytes,
		       s->m.tp);
}

static void price_any(struct inst *s, const sc_step *step, sc_result *out)
{
	struct sc_load load[2] = {sc_load_prefill(step), sc_load_decode(step)};
	struct sc_phase phase[2] = {{0, 0, 0}, {0, 0, 0}};
	struct sc_mix mix = {1, 1};
	struct sc_host_us host =
	    sc_host_time(&s->host, &s->m, step->n_prefill, step->n_decode);
	if (step->n_prefill)
		phase[SC_PREFILL] = price(s, &load[SC_PREFILL], SC_PREFILL);
	if (step->n_decode)
		phase[SC_DECODE] = price(s, &load[SC_DECODE], SC_DECODE);
	if (step->n_prefill && step->n_decode)
		mix = sc_mix_adaptive(load[SC_PREFILL].new_tokens,
				      load[SC_DECODE].n);
	sc_step_report(out, step->n_prefill > 0, step->n_decode > 0, phase,
		       &mix, &host);
	if (tells_work(out) && (step->n_prefill || step->n_decode))
		report_work(s, load, out);
}

static struct decodes decodes_of(struct inst *s, uint32_t n)
{
	struct sc_host_us host = sc_host_time(&s->host, &s->m, 0, n);
	return (struct decodes){
	    .n = n,
	    .gemm_s = s->token_flops * n / s->gemm_rate[SC_DECODE],
	    .bytes = sc_decode_bytes_of(&s->m, n, &discounts),
	    .host = host,
	    .host_s = sc_host_seconds(&host),
	};
}

static const struct decodes *known_decodes(struct inst *s, uint32_t n)
{
	struct decodes *d = &s->decodes[n % DECODES];
	if (d->n != n)
		*d = decodes_of(s, n);
	return d;
}

/* As price_any(), bit by bit. */
static void price_decodes(const struct inst *s, const struct decodes *d,
			  const sc_step *step, sc_result *out)
{
	double context = sc_decode_context(step);
	struct sc_phase phase = {
	    .gemm = d->gemm_s,
	    .attention = s->context_flops * context / s->vector_rate[SC_DECODE],
	    .memory =
		s->weight_s[SC_DECODE] +
		sc_decode_bytes(&d->bytes, context) * s->byte_s[SC_DECODE]};
	sc_decodes_report(out, &phase, &d->host, &d->host_s);
	if (!tells_work(out))
		return;
	const struct sc_load load[2] = {[SC_DECODE] = sc_load_decode(step)};
	report_work(s, load, out);
}

static int32_t eval_batch(void *inst, uint32_t n, const sc_step *const *step,
			  sc_result *const *out, uint32_t *n_done,
			  sc_error *err)
{
	struct inst *s = inst;
	for (*n_done = 0; *n_done < n; ++*n_done) {
		const sc_step *is = step[*n_done];
		int32_t rc = sc_dense_step(&s->m, is, err);
		if (rc != SC_OK)
			return rc;
		if (is->n_prefill || !is->n_decode)
			price_any(s, is, out[*n_done]);
		else
			price_decodes(s, known_decodes(s, is->n_decode), is,
				      out[*n_done]);
	}
	return SC_OK;
}

static int32_t eval(void *inst, const sc_step *step, sc_result *out,
		    sc_error *err)
{
	uint32_t n_done;
	return eval_batch(inst, 1, &step, &out, &n_done, err);
}

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .capabilities = SC_CAP_NOT_MONOTONE,
    .name = "roofline_v1",
    .version = "1",
    .summary = "roofline with calibrated efficiencies",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .knob_block = sizeof(struct knobs),
    .create = create,
    .destroy = free,
    .eval = eval,
    .eval_batch = eval_batch,
    .id = "stepcost.roofline-v1",
    .author = "The stepcost authors",
    .licence = "MIT",
    .citation =
	"first roofline model of inference-sim, with constant efficiencies",
};
SC_PLUGIN_DEFINE(plugin);
