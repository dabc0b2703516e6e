/* llm_analysis: llm-analysis, a layer as attention, FFN, norms and all-reduces,
 * one phase after the other; llm_analysis.md has the formulas. */
#include "field.h"
#include "stepcost/batch.h"

struct knobs {
	const char *gpu;
	int64_t hardware_from_file;
	double flops_efficiency, memory_efficiency;
};
static const sc_knob *const knobs[] = {
    FIELD_GPU_KNOBS(struct knobs),
    SC_DOUBLE(struct knobs, flops_efficiency, "1", 0.001, 1, "1",
	      "Share of the peak that is reached."),
    SC_DOUBLE(struct knobs, memory_efficiency, "1", 0.001, 1, "1",
	      "Share of the memory bandwidth that is reached."),
};

#define LEAST_ALL_REDUCE_S 8e-6

struct gpu {
	double peak, fp8, memory, link;
};
static const char *const *const gpu_names[] = {
    (const char *const[]){"h100-sxm", "h100-sxm-80gb", NULL},
    (const char *const[]){"a100-80-sxm", "a100-sxm-80gb", NULL}};
static const struct gpu gpus[] = {{989e12, 1979e12, 3350e9, 450e9},
				  {312e12, 624e12, 2039e9, 300e9}};

struct inst {
	struct field_model m;
	double peak, memory, link;
	double experts, topk, ffn; /* dense: 1, 1 */
};

/* The requests of a phase. */
struct phase {
	double tokens, pairs; /* pairs: b s^2, queries times contexts */
};

static double all_reduce_s(const struct inst *s, double tokens, double bytes)
{
	const struct field_model *m = &s->m;
	if (m->tp <= 1)
		return 0;
	return fmax(2 * tokens * m->hidden * (m->tp - 1) / m->tp * bytes /
			s->link,
		    LEAST_ALL_REDUCE_S);
}

static double attention_s(const struct inst *s, const struct phase *p)
{
	const struct field_model *m = &s->m;
	double d = m->hidden, h = m->heads, t = p->tokens, a = m->act_bytes;
	double kv = fmax(m->kv_heads / m->tp, 1) * m->tp;
	double flops = (4 * t * d * d + 4 * t * d * d / (h / m->kv_heads) +
			4 * p->pairs * d) /
		       m->tp;
	double bytes =
	    (2 * d * d + 2 * d * d * kv / h) * m->weight_bytes / m->tp +
	    fmax(3 * a * t * d / m->tp, (2 * t * d + 4 * h * t) * a / m->tp);
	return fmax(flops / s->peak, bytes / s->memory);
}

static double ffn_s(const struct inst *s, double t)
{
	const struct field_model *m = &s->m;
	double d = m->hidden, a = m->act_bytes;
	double flops = 6 * t * d * s->ffn / m->tp;
	double bytes = 3 * d * s->ffn * s->experts * m->weight_bytes / m->tp +
		       fmax(a, a * s->ffn / d) * t * d * s->topk / m->tp;
	double us = fmax(flops / s->peak, bytes / s->memory);
	return m->experts > 0 ? us + 2 * s->topk * t * d * a / s->link : us;
}

static double phase_s(const struct inst *s, const struct phase *p)
{
	const struct field_model *m = &s->m;
	double d = m->hidden, t = p->tokens;
	if (!(t > 0))
		return 0;
	double norm = fmax(5 * t * d / s->peak, 4 * t * d / m->tp / s->memory);
	double layer = attention_s(s, p) + ffn_s(s, t) + 2 * norm +
		       2 * all_reduce_s(s, t, m->act_bytes);
	return m->layers * layer + m->vocab * d * 2 / s->memory +
	       all_reduce_s(s, t, 2) + 2 * t * m->vocab * d / m->tp / s->peak;
}

static int32_t eval(void *inst, const sc_step *step, sc_result *out,
		    sc_error *err)
{
	const struct inst *s = inst;
	const struct field_model *m = &s->m;
	struct field_sums t = field_sums_of(step);
	struct phase prefill = {.tokens = t.prompt};
	const struct phase decode = {t.decodes, t.decodes};
	(void)err;
	for (uint32_t i = 0; i < step->n_prefill; i++)
		prefill.pairs +=
		    (double)step->prefill_new[i] *
		    ((double)step->prefill_ctx[i] + step->prefill_new[i]);
	/* Twice the cache. */
	double cache = 2 * t.contexts * (m->hidden / m->heads) *
		       fmax(m->kv_heads / m->tp, 1) * m->act_bytes * m->layers;
	return field_answer(out, (phase_s(s, &prefill) + phase_s(s, &decode) +
				  2 * cache / s->memory) *
				     1e6);
}

static int32_t start(struct inst *s, const sc_setup *setup,
		     const struct knobs *k, sc_error *err)
{
	struct field_model *m = &s->m;
	int32_t rc =
	    field_read(m, setup, FIELD_EXPERTS | FIELD_TP, "llm-analysis", err);
	int i = rc == SC_OK ? field_gpu(gpu_names, 2, setup, k->gpu,
					"llm-analysis", err)
			    : -1;
	if (i < 0)
		return rc == SC_OK ? SC_EUNSUP : rc;
	int is_fp8 = fmax(m->weight_bytes, m->act_bytes) == 1;
	s->peak = is_fp8 ? gpus[i].fp8 : gpus[i].peak;
	s->memory = gpus[i].memory;
	s->link = gpus[i].link;
	if (k->hardware_from_file) {
		const sc_hardware *hw = setup->hardware;
		s->peak = hw->peak_flops[is_fp8 ? SC_FP8 : SC_BF16];
		s->memory = hw->mem_bandwidth;
		s->link = hw->link_bandwidth;
	}
	s->peak *= k->flops_efficiency;
	s->memory *= k->memory_efficiency;
	s->experts = fmax(m->experts, 1);
	s->topk = fmax(m->topk, 1);
	s->ffn = m->experts > 0 ? m->expert_ffn : m->dense_ffn;
	return SC_OK;
}

FIELD_CREATE(struct inst, start)

SC_EVAL_BATCH(eval);

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .name = "llm_analysis",
    .version = "d841e40",
    .summary = "llm-analysis: a layer in four parts, each a roofline",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .knob_block = sizeof(struct knobs),
    .create = create,
    .destroy = free,
    .eval = eval,
    .eval_batch = eval_batch,
    .id = "io.github.cli99.llm-analysis",
    .author = "Cheng Li",
    .licence = "Apache-2.0",
    .url = "https://github.com/cli99/llm-analysis",
    .citation = "llm-analysis at d841e40",
};
SC_PLUGIN_DEFINE(plugin);
