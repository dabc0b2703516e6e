/* llm_viewer: LLM-Viewer, each operator of a layer as a roofline, one phase
 * after the other; llm_viewer.md has the formulas. */
#include "field.h"
#include "stepcost/batch.h"

struct knobs {
	const char *gpu;
	int64_t hardware_from_file, flash;
};
static const sc_knob *const knobs[] = {
    FIELD_GPU_KNOBS(struct knobs),
    SC_BOOL(struct knobs, flash, "false",
	    "Fused attention in place of three operators."),
};

struct gpu {
	double bandwidth, fp16, int8, on_chip;
};
static const char *const *const gpu_names[] = {
    (const char *const[]){"h100-sxm", "nvidia_H100", NULL},
    (const char *const[]){"a100-80-sxm", "nvidia_A100_80G", "nvidia_A800",
			  NULL},
    (const char *const[]){"a100-40-sxm", "nvidia_A100", NULL},
    (const char *const[]){"h100-pcie", "nvidia_H100_PCIe", NULL},
    (const char *const[]){"a40", "nvidia_A40", NULL},
    (const char *const[]){"nvidia_V100", NULL},
    (const char *const[]){"nvidia_A6000", NULL},
    (const char *const[]){"nvidia_L40", NULL}};
static const struct gpu gpus[] = {{3072e9, 1979e12 / 2, 3958e12 / 2, 33792e3},
				  {2039e9, 312e12, 624e12, 27648e3},
				  {1555e9, 312e12, 624e12, 27648e3},
				  {2048e9, 1513e12 / 2, 3026e12 / 2, 29184e3},
				  {696e9, 149.7e12, 299.3e12, 21504e3},
				  {900e9, 112e12, 62e12, 20480e3},
				  {768e9, 309.677e12 / 2, 309.7e12, 21504e3},
				  {864e9, 181e12, 362e12, 36352e3}};

struct inst {
	struct field_model m;
	double peak, bandwidth;
	double dim;   /* hidden / heads, rounded down */
	double block; /* queries that fused attention takes at once */
	int flash;
};

/* What the requests of one phase sum up to. */
struct phase {
	double requests;
	double rows;        /* queries: prompt tokens, or decodes */
	double pairs;       /* queries times their contexts */
	double contexts;    /* tokens of the cache, the new ones included */
	double query_rows;  /* rows of the query that qk reads */
	double query_heads; /* that it has */
	double blocks;      /* contexts times blocks of queries, when fused */
};

static double operator_s(const struct inst *s, double ops, double bytes)
{
	return fmax(ops / s->peak, bytes / s->bandwidth);
}

static double linear_s(const struct inst *s, double in, double out, double rows,
		       double out_bytes)
{
	const struct field_model *m = &s->m;
	return operator_s(s, 2 * in * out * rows,
			  in * out * m->weight_bytes +
			      in * rows * m->act_bytes +
			      out * rows * out_bytes);
}

static double attention_s(const struct inst *s, const struct phase *p)
{
	const struct field_model *m = &s->m;
	double a = m->act_bytes, kv = m->kv_bytes, h = m->heads;
	double qk_ops = 2 * p->pairs * s->dim * h;
	double softmax_ops = 5 * h * p->pairs;
	double scores = p->pairs * h * a;
	double cache = p->contexts * s->dim * m->kv_heads * kv;
	if (s->flash)
		return operator_s(s, 2 * qk_ops + softmax_ops,
				  p->rows * s->dim * h * a + 2 * scores +
				      p->blocks * s->dim * h * kv * 2);
	return operator_s(s, qk_ops,
			  p->query_rows * s->dim * p->query_heads * a + scores +
			      cache) +
	       operator_s(s, qk_ops,
			  scores + p->rows * s->dim * h * a + cache) +
	       operator_s(s, softmax_ops, 2 * scores);
}

static double phase_s(const struct inst *s, const struct phase *p)
{
	const struct field_model *m = &s->m;
	double d = m->hidden, a = m->act_bytes, w = m->weight_bytes;
	double kv_dim = d * m->kv_heads / m->heads, x = p->rows * d;
	if (!(p->rows > 0))
		return 0;
	double layer = 2 * linear_s(s, d, d, p->rows, a) +
		       2 * linear_s(s, d, kv_dim, p->rows, m->kv_bytes) +
		       2 * linear_s(s, d, m->dense_ffn, p->rows, a) +
		       linear_s(s, m->dense_ffn, d, p->rows, a) +
		       attention_s(s, p) + 2 * operator_s(s, 7 * x, 2 * x * a) +
		       2 * operator_s(s, x, 2 * x * a) +
		       operator_s(s, 2 * x, 3 * x * a);
	return m->layers * layer +
	       operator_s(s, p->requests * d * m->vocab,
			  d * m->vocab * w + d * a + m->vocab * a);
}

static double blocks_of(const struct inst *s, double queries)
{
	return ceil(queries / s->block);
}

static int32_t eval(void *inst, const sc_step *step, sc_result *out,
		    sc_error *err)
{
	const struct inst *s = inst;
	struct field_sums t = field_sums_of(step);
	struct phase prefill = {.requests = step->n_prefill,
				.rows = t.prompt,
				.query_rows = t.prompt,
				.query_heads = s->m.kv_heads};
	const struct phase decode = {.requests = t.decodes,
				     .rows = t.decodes,
				     .pairs = t.contexts,
				     .contexts = t.contexts,
				     .query_rows = t.decodes,
				     .query_heads = s->m.heads,
				     .blocks = t.contexts * blocks_of(s, 1)};
	(void)err;
	for (uint32_t i = 0; i < step->n_prefill; i++) {
		double n = step->prefill_new[i],
		       context = n + step->prefill_ctx[i];
		prefill.pairs += n * context;
		prefill.contexts += context;
		prefill.blocks += context * blocks_of(s, n);
	}
	return field_answer(out,
			    (phase_s(s, &prefill) + phase_s(s, &decode)) * 1e6);
}

static int32_t start(struct inst *s, const sc_setup *setup,
		     const struct knobs *k, sc_error *err)
{
	struct field_model *m = &s->m;
	int32_t rc = field_read(m, setup, 0, "LLM-Viewer", err);
	int i = rc == SC_OK
		    ? field_gpu(gpu_names, 8, setup, k->gpu, "LLM-Viewer", err)
		    : -1;
	if (i < 0)
		return rc == SC_OK ? SC_EUNSUP : rc;
	int is_small =
	    m->weight_bytes <= 1 && m->act_bytes <= 1 && m->kv_bytes <= 1;
	s->peak = is_small ? gpus[i].int8 : gpus[i].fp16;
	s->bandwidth = gpus[i].bandwidth;
	if (k->hardware_from_file) {
		const sc_hardware *hw = setup->hardware;
		s->peak = hw->peak_flops[is_small ? SC_INT8 : SC_BF16];
		s->bandwidth = hw->mem_bandwidth;
	}
	s->dim = floor(m->hidden / m->heads);
	s->flash = k->flash != 0;
	s->block = fmin(ceil(gpus[i].on_chip / (m->kv_bytes * s->dim)), s->dim);
	return SC_OK;
}

FIELD_CREATE(struct inst, start)

SC_EVAL_BATCH(eval);

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .name = "llm_viewer",
    .version = "472f71f",
    .summary = "LLM-Viewer: each operator of a layer as a roofline",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .knob_block = sizeof(struct knobs),
    .create = create,
    .destroy = free,
    .eval = eval,
    .eval_batch = eval_batch,
    .id = "io.github.hahnyuan.llm-viewer",
    .author = "Zhihang Yuan and others",
    .licence = "MIT",
    .url = "https://github.com/hahnyuan/LLM-Viewer",
    .citation = "LLM-Viewer at 472f71f",
};
SC_PLUGIN_DEFINE(plugin);
