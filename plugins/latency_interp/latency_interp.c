/* latency_interp: prices a step as the sum of its kernels, each from measured
 * latency (grid.h): fused QKV, attention, output, gate-up and down GEMM of
 * every layer, two all-reduces, the LM head.  Host work, elementwise kernels
 * and sampling are in no table; they are knobs.  See latency_interp.md. */
#include <math.h>
#include <stdlib.h>
#include "stepcost/kernel/graph_sizes.h"
#include "stepcost/fail.h"
#include "stepcost/interp.h"
#include "inst.h"

static const sc_knob *const knobs[] = {
    SC_CHOICE(struct knobs, mixed, "auto", mixed_words,
	      "Attention of chunks and of decodes beside prompts: sum: as each "
	      "alone, one after the other; max: the longer; two: chunks by a "
	      "kernel that does not split their keys; one: in one launch of "
	      "that kernel; auto: by engine and GPU."),
    SC_BOOL(struct knobs, monotone, "false",
	    "Time never falls as tokens grow. false: every measured point is "
	    "met exactly."),
    SC_CHOICE(struct knobs, decode_batch, "mean", batch_words,
	      "Decode attention of unlike contexts: at (batch, mean kv), "
	      "(batch, max kv), averaged over (batch, each kv), or the sum of "
	      "single requests."),
    SC_CHOICE(struct knobs, format_mismatch, "law", mismatch_words,
	      "If no table has the number format: the reference law, the law "
	      "with another format's residual, or an error."),
    SC_BOOL(struct knobs, pad_batch, "true",
	    "GEMMs and all-reduces run at the captured batch size."),
    SC_BOOL(struct knobs, lm_head, "true", "Price the LM head."),
    SC_BOOL(struct knobs, other_gpu, "false",
	    "Use tables of a GPU with another memory bandwidth."),
    SC_DOUBLE(struct knobs, step_us, "0", 0, 1e6, "us", "Host cost of a step."),
    SC_DOUBLE(struct knobs, layer_us, "0", 0, 1e4, "us",
	      "Host and elementwise cost of a layer."),
    SC_DOUBLE(struct knobs, launch_us, "0", -100, 1e4, "us",
	      "Added to every kernel that a table prices; negative if the "
	      "table was timed from the host."),
    SC_DOUBLE(struct knobs, all_reduce_us, "0", 0, 1e4, "us",
	      "Added to every all-reduce, because ranks wait for each other."),
    SC_DOUBLE(struct knobs, activation_passes, "0", 0, 1e3, "1",
	      "How many times the elementwise kernels of a layer move its "
	      "activations through memory."),
    SC_DOUBLE(struct knobs, logit_passes, "0", 0, 1e5, "1",
	      "How many times sampling moves the fp32 logits through memory."),
};

static const char *const served_values[] = {"mixed",
					    "max",
					    "step_us",
					    "150",
					    "layer_us",
					    "7",
					    "all_reduce_us",
					    "6",
					    "activation_passes",
					    "2",
					    "logit_passes",
					    "70",
					    NULL};
static const sc_preset served = {
    .size = sizeof served,
    .name = "served",
    .help = "With the overheads of vLLM 0.15 on H100, from 32 served rows of "
	    "dense models.",
    .values = served_values,
};
static const sc_preset *const presets[] = {&served};

static void destroy(void *inst)
{
	struct inst *s = inst;
	for (uint32_t i = 0; i < s->n_gemms; i++)
		grid_free(&s->gemms[i].at);
	for (uint32_t i = 0; i < s->n_attentions; i++) {
		grid_free(&s->attentions[i].prefill);
		grid_free(&s->attentions[i].decode);
		sc_launch_close(&s->attentions[i].launch);
	}
	grid_free(&s->head.at);
	grid_free(&s->reduce);
	for (uint32_t op = 0; op < SC_LAW_OPS; op++)
		for (uint32_t f = 0; f < SC_FORMAT_CODES; f++)
			table_index_free(&s->table_index[op][f]);
	free(s->gemms);
	free(s->attentions);
	sc_step_tables_free(&s->tables);
	free(s);
}

static int32_t create(void **inst, const sc_setup *setup, const void *block,
		      sc_error *err)
{
	struct inst *s = calloc(1, sizeof *s);
	if (!s)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	s->k = *(const struct knobs *)block;
	int32_t rc = sc_step_tables_make(&s->tables, setup);
	if (rc != SC_OK)
		sc_fail(err, rc, "out of memory");
	else
		rc = fill(s, &s->tables.setup, err);
	if (rc == SC_OK)
		*inst = s;
	else
		destroy(s);
	return rc;
}

/* Counts an answer that `count` kernels take, and returns their time. */
static double take(const struct inst *s, sc_result *out, struct answer a,
		   double count)
{
	double us = count * fmax(0, a.us + s->k.launch_us);
	uint32_t how = sc_worse(a.provenance, s->how);
	out->lookups[how]++;
	out->lookup_us[how] += us;
	return us;
}

static double gemms_us(const struct inst *s, sc_result *out, double m,
		       double sequences)
{
	double us = 0;
	for (uint32_t i = 0; i < s->n_gemms; i++)
		us +=
		    take(s, out, grid_at(s->gemms[i].in, &s->gemms[i].at, 1, m),
			 s->gemms[i].count);
	if (s->head.count > 0 && sequences > 0)
		us += take(s, out,
			   grid_at(s->head.in, &s->head.at, 1, sequences), 1);
	return us;
}

static double attention_us(const struct inst *s, sc_result *out,
			   const sc_step *st)
{
	double prefill = 0, decode = 0;
	for (uint32_t i = 0; i < s->n_attentions; i++) {
		const struct attention *a = &s->attentions[i];
		struct answer is[2] = {{0, 0}, {0, 0}};
		if (st->n_prefill)
			is[SC_PREFILL] = prompt_attention(s, a, st);
		if (st->n_decode)
			is[SC_DECODE] = decode_attention(s, a, st);
		attention_together(a, st, is);
		if (st->n_prefill)
			prefill += take(s, out, is[SC_PREFILL], a->count);
		if (st->n_decode)
			decode += take(s, out, is[SC_DECODE], a->count);
	}
	if (st->n_prefill)
		out->attention_us[SC_PREFILL] = prefill;
	if (st->n_decode)
		out->attention_us[SC_DECODE] = decode;
	return s->k.mixed == MIXED_MAX ? fmax(prefill, decode)
				       : prefill + decode;
}

static int32_t eval(void *inst, const sc_step *st, sc_result *out,
		    sc_error *err)
{
	const struct inst *s = inst;
	double prefill = 0, decode = 0, comm = 0;
	(void)err;
	for (uint32_t i = 0; i < st->n_prefill; i++)
		prefill += st->prefill_new[i];
	for (uint32_t i = 0; i < st->n_decode; i++)
		decode += st->decode_new ? st->decode_new[i] : 1;
	double tokens = prefill + decode;
	/* Each token that is verified has logits. */
	double sequences = st->n_sampled + decode - st->n_decode;
	double m = sc_captured_tokens(tokens, s->graph_max);
	if (!(tokens > 0))
		return SC_OK;
	double gemm = gemms_us(s, out, m, sequences);
	double attention = attention_us(s, out, st);
	if (s->tp > 1)
		comm = take(s, out,
			    grid_at(s->all_reduce, &s->reduce, 1,
				    m * s->all_reduce_bytes_per_token),
			    2 * s->layers);
	if (s->tp > 1)
		comm += 2 * s->layers * s->k.all_reduce_us;
	double rest = s->k.step_us + s->k.layer_us * s->layers +
		      s->k.activation_passes * s->activation_us_per_token * m +
		      s->k.logit_passes * s->logit_us_per_sequence * sequences;
	/* One GEMM serves both phases: by their tokens. */
	if (prefill > 0)
		out->gemm_us[SC_PREFILL] = gemm * prefill / tokens;
	if (decode > 0)
		out->gemm_us[SC_DECODE] = gemm * decode / tokens;
	out->comm_us = comm;
	out->overhead_us = rest;
	out->exact_us = gemm + attention + comm + rest;
	out->total_us = out->exact_us;
	return SC_OK;
}

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .capabilities = SC_CAP_ORDER_SENSITIVE | SC_CAP_NOT_MONOTONE |
		    SC_CAP_DECODE_NEW | SC_CAP_TABLES,
    .name = "latency_interp",
    .version = "3",
    .summary = "Measured kernel latency, interpolated on a reference law",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .n_presets = sizeof presets / sizeof *presets,
    .preset = presets,
    .knob_block = sizeof(struct knobs),
    .create = create,
    .destroy = destroy,
    .eval = eval,
    .kernel = kernel,
    .id = "stepcost.latency-interp",
    .author = "The stepcost authors",
    .licence = "MIT",
    .citation = "stepcost, latency_interp: measured kernel latencies on a "
		"reference law",
};
SC_PLUGIN_DEFINE(plugin);
