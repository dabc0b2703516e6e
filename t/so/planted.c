/* planted: a sound plugin with every component in its price, and one term that
 * can be planted: a component is `times` as long in a regime.  Additive; as
 * planted_bound each phase lasts as long as the side that bounds it. */
#include <stdlib.h>
#include <string.h>
#include "stepcost/fail.h"
#include "stepcost/knob.h"

#ifndef PLANTED_NAME
#define PLANTED_NAME "planted"
#define PLANTED_IS_ADDITIVE 1
#endif

static const char *const components[] = {"none",
					 "prefill_gemm",
					 "prefill_attention",
					 "prefill_memory",
					 "decode_gemm",
					 "decode_attention",
					 "decode_memory",
					 "communication",
					 "overhead",
					 "moe",
					 NULL};
enum component {
	NONE,
	PREFILL_GEMM,
	PREFILL_ATTENTION,
	PREFILL_MEMORY,
	DECODE_GEMM,
	DECODE_ATTENTION,
	DECODE_MEMORY,
	COMMUNICATION,
	OVERHEAD,
	MOE
};
static const char *const regimes[] = {"all",   "prefill", "decode",
				      "mixed", "mean_kv", NULL};
enum regime { ALL, PREFILL, DECODE, MIXED, MEAN_KV };

struct knobs {
	int64_t component, regime;
	double from, times, all;
};

static const sc_knob *const knobs[] = {
    SC_CHOICE(struct knobs, component, "none", components, "What is longer."),
    SC_CHOICE(struct knobs, regime, "all", regimes, "Where."),
    SC_DOUBLE(struct knobs, from, "1", 1, 1e9, "1",
	      "Lower edge of the regime, which ends at twice that."),
    SC_DOUBLE(struct knobs, times, "1", 0, 1e6, "1", "How many times."),
    SC_DOUBLE(struct knobs, all, "1", 1e-3, 1e3, "1",
	      "How many times everything is as long."),
};

static int32_t create(void **inst, const sc_setup *setup, const void *block,
		      sc_error *err)
{
	(void)setup;
	struct knobs *k = malloc(sizeof *k);
	if (!k)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	*k = *(const struct knobs *)block;
	*inst = k;
	return SC_OK;
}

static int within(const struct knobs *k, double v)
{
	return v >= k->from && v < 2 * k->from;
}

/* Returns 1 if the step is of the regime. */
static int is_there(const struct knobs *k, const sc_step *s)
{
	double sum = 0, n = (double)s->n_decode + s->n_prefill;
	for (uint32_t i = 0; i < s->n_decode + s->n_prefill; i++) {
		uint32_t p = i - s->n_decode;
		double kv = i < s->n_decode
				? s->decode_ctx[i]
				: (double)s->prefill_ctx[p] + s->prefill_new[p];
		sum += kv;
	}
	double mean = n > 0 ? sum / n : 0;
	switch ((enum regime)k->regime) {
	case PREFILL:
		return s->n_decode == 0;
	case DECODE:
		return s->n_prefill == 0;
	case MIXED:
		return s->n_prefill && s->n_decode;
	case MEAN_KV:
		return within(k, mean);
	default:
		return 1;
	}
}

struct price {
	double dense[2], moe[2], attention[2], memory[2], comm, overhead;
};

static struct price price_of(const struct knobs *k, const sc_step *s)
{
	enum component c = (enum component)k->component;
	int there = is_there(k, s);
	double fresh = 0, kv = 0;
	struct price x = {.overhead = 100};
	for (uint32_t i = 0; i < s->n_prefill; i++) {
		double ctx = s->prefill_ctx[i], new = s->prefill_new[i];
		x.attention[SC_PREFILL] += 2e-5 * new *(ctx + new / 2);
		fresh += new;
	}
	for (uint32_t i = 0; i < s->n_decode; i++) {
		x.attention[SC_DECODE] += 0.01 * s->decode_ctx[i];
		kv += s->decode_ctx[i];
	}
	x.dense[SC_PREFILL] = 0.2 * fresh;
	x.moe[SC_PREFILL] = 0.4 * fresh;
	x.dense[SC_DECODE] = s->n_decode ? 50 + 0.3 * s->n_decode : 0;
	x.moe[SC_DECODE] = 0.5 * s->n_decode;
	x.memory[SC_PREFILL] = s->n_prefill ? 150 : 0;
	x.memory[SC_DECODE] = s->n_decode ? 150 + 0.004 * kv : 0;
	x.comm = 5 + 0.05 * (fresh + s->n_decode);
	if (!there)
		return x;
	for (int phase = 0; phase < 2; phase++) {
		int is_gemm =
		    c == (phase == SC_PREFILL ? PREFILL_GEMM : DECODE_GEMM);
		int is_attention =
		    c == (phase == SC_PREFILL ? PREFILL_ATTENTION
					      : DECODE_ATTENTION);
		x.attention[phase] *= is_attention ? k->times : 1;
		x.dense[phase] *= is_gemm ? k->times : 1;
		x.moe[phase] *= is_gemm || c == MOE ? k->times : 1;
		if (c == (phase == SC_PREFILL ? PREFILL_MEMORY : DECODE_MEMORY))
			x.memory[phase] *= k->times;
	}
	x.comm *= c == COMMUNICATION ? k->times : 1;
	x.overhead *= c == OVERHEAD ? k->times : 1;
	return x;
}

static int32_t eval(void *inst, const sc_step *step, sc_result *out,
		    sc_error *err)
{
	(void)err;
	const struct knobs *k = inst;
	struct price x = price_of(k, step);
	out->total_us = (x.comm + x.overhead) * k->all;
	for (int i = 0; i < 2; i++) {
		double gemm = (x.dense[i] + x.moe[i]) * k->all;
		double compute = gemm + x.attention[i] * k->all;
		double memory = x.memory[i] * k->all;
		out->gemm_us[i] = gemm;
		out->attention_us[i] = x.attention[i] * k->all;
		if (!PLANTED_IS_ADDITIVE)
			out->memory_us[i] = memory;
		out->total_us +=
		    PLANTED_IS_ADDITIVE || compute > memory ? compute : memory;
	}
	out->comm_us = x.comm * k->all;
	out->overhead_us = x.overhead * k->all;
	if (!out->part_us)
		return SC_OK;
	for (int i = 0; i < 2; i++) {
		out->part_us[3 * i] = x.moe[i] * k->all;
		out->part_us[3 * i + 1] = x.attention[i] * k->all;
	}
	out->part_us[2] = x.overhead * k->all / 2;
	return SC_OK;
}

/* Of GEMM and overhead only a share has a name. */
static const sc_part moe = {sizeof moe, SC_PART_GEMM, "moe", "Experts."};
static const sc_part mla = {sizeof mla, SC_PART_ATTENTION, "mla", "All of it."};
static const sc_part graph = {sizeof graph, SC_PART_OVERHEAD, "graph", "Half."};
static const sc_part *const parts[] = {&moe, &mla, &graph};

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .capabilities = PLANTED_IS_ADDITIVE ? SC_CAP_ADDITIVE : 0,
    .name = PLANTED_NAME,
    .version = "1",
    .summary = "every component, and one planted term",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .knob_block = sizeof(struct knobs),
    .create = create,
    .destroy = free,
    .eval = eval,
    .n_parts = 3,
    .part = parts,
};
SC_PLUGIN_DEFINE(plugin);
