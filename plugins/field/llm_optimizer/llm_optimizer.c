/* llm_optimizer: the estimate of llm-optimizer, one roofline a phase;
 * llm_optimizer.md has the formulas. */
#include "field.h"
#include "stepcost/batch.h"

struct knobs {
	const char *gpu;
	int64_t hardware_from_file;
};
static const sc_knob *const knobs[] = {FIELD_GPU_KNOBS(struct knobs)};

#define GB 1073741824.0
#define MFU_PREFILL 0.45
#define MFU_DECODE 0.30

struct gpu {
	double tflops, fp8_tflops, gb;
};
/* The H200 has FP8's figure as that of FP16. */
static const char *const *const gpu_names[] = {
    (const char *const[]){"h100-sxm", "H100", NULL},
    (const char *const[]){"h200-sxm", "H200", NULL},
    (const char *const[]){"a100-80-sxm", "A100", NULL},
    (const char *const[]){"a100-40-sxm", "A100-40GB", NULL},
    (const char *const[]){"b200-sxm", "B200", NULL},
    (const char *const[]){"L20", NULL},
    (const char *const[]){"L40", NULL},
    (const char *const[]){"B100", NULL}};
static const struct gpu gpus[] = {{989.5, 1979, 3350}, {1979, 3958, 4800},
				  {312, 0, 2039},      {312, 0, 1555},
				  {2250, 4500, 8000},  {119.5, 239, 864},
				  {181, 362, 864},     {1800, 3500, 8000}};

struct inst {
	struct field_model m;
	double peak, bandwidth; /* of all GPUs */
	double dim, bytes;      /* hidden / heads, rounded down; of a number */
	double weights;         /* bytes of the layers; each phase reads them */
};

/* An FFN is 4 hidden wide here, whatever the model has. */
static double token_flops(const struct field_model *m, double dim)
{
	double d = m->hidden;
	return 2 * (d * d + 2 * d * m->kv_heads * dim) + 2 * d * d +
	       4 * d * (4 * d);
}

/* A phase is compute bound or memory bound; the MFU counts for the former. */
static double time_s(const struct inst *s, double flops, double bytes,
		     double mfu)
{
	return flops / bytes < s->peak / s->bandwidth ? bytes / s->bandwidth
						      : flops / (s->peak * mfu);
}

static double phase_s(const struct inst *s, double tokens, double pairs,
		      double contexts, double rows, double squares, double mfu)
{
	const struct field_model *m = &s->m;
	if (!(tokens > 0))
		return 0;
	double flops =
	    m->layers * (tokens * token_flops(m, s->dim) +
			 4 * m->heads * pairs * s->dim + 3 * m->heads * pairs);
	double bytes =
	    s->weights +
	    2 * m->layers * m->kv_heads * s->dim * s->bytes * contexts +
	    rows * m->hidden * s->bytes + m->heads * squares * s->bytes;
	return time_s(s, flops, bytes, mfu);
}

static int32_t eval(void *inst, const sc_step *step, sc_result *out,
		    sc_error *err)
{
	const struct inst *s = inst;
	double tokens = 0, pairs = 0, contexts = 0, held = 0, squares = 0;
	(void)err;
	for (uint32_t i = 0; i < step->n_prefill; i++) {
		double n = step->prefill_new[i], all = n + step->prefill_ctx[i];
		tokens += n;
		pairs += n * all;
		contexts += all;
	}
	double us =
	    phase_s(s, tokens, pairs, contexts, tokens, pairs, MFU_PREFILL);
	for (uint32_t i = 0; i < step->n_decode; i++) {
		double all = (double)step->decode_ctx[i] + 1;
		held += all;
		squares += all * all;
	}
	double n = step->n_decode;
	/* flops(1) counts a pair of its own beside the context's. */
	us += phase_s(s, n, n + held, held, held, squares, MFU_DECODE);
	return field_answer(out, us * 1e6);
}

static int32_t start(struct inst *s, const sc_setup *setup,
		     const struct knobs *k, sc_error *err)
{
	struct field_model *m = &s->m;
	int32_t rc = field_read(m, setup, FIELD_TP, "llm-optimizer", err);
	int i = rc == SC_OK ? field_gpu(gpu_names, 8, setup, k->gpu,
					"llm-optimizer", err)
			    : -1;
	if (i < 0)
		return rc == SC_OK ? SC_EUNSUP : rc;
	int is_fp8 = m->weight_bytes == 1;
	if (m->weight_bytes < 1 || m->weight_bytes > 2 ||
	    (is_fp8 && !(gpus[i].fp8_tflops > 0)))
		return sc_fail(err, SC_EUNSUP,
			       "llm-optimizer does not price these weights on "
			       "this GPU: it knows 16 bits, and FP8 where the "
			       "GPU has it");
	s->bytes = is_fp8 ? 1 : 2;
	s->peak = (is_fp8 ? gpus[i].fp8_tflops : gpus[i].tflops) * 1e12;
	s->bandwidth = gpus[i].gb * GB;
	if (k->hardware_from_file) {
		const sc_hardware *hw = setup->hardware;
		s->peak = hw->peak_flops[is_fp8 ? SC_FP8 : SC_BF16];
		s->bandwidth = hw->mem_bandwidth;
	}
	s->peak *= m->tp;
	s->bandwidth *= m->tp;
	s->dim = floor(m->hidden / m->heads);
	double d = m->hidden;
	s->weights =
	    m->layers * s->bytes *
	    (d * (d + 2 * m->kv_heads * s->dim) + d * d + 2 * d * (4 * d));
	return SC_OK;
}

FIELD_CREATE(struct inst, start)

SC_EVAL_BATCH(eval);

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .name = "llm_optimizer",
    .version = "69b2f75",
    .summary = "llm-optimizer: one roofline a phase, with an MFU",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .knob_block = sizeof(struct knobs),
    .create = create,
    .destroy = free,
    .eval = eval,
    .eval_batch = eval_batch,
    .id = "io.github.bentoml.llm-optimizer",
    .author = "BentoML",
    .licence = "Apache-2.0",
    .url = "https://github.com/bentoml/llm-optimizer",
    .citation = "llm-optimizer, in the fork jlonge4/llm-optimizer at 69b2f75",
};
SC_PLUGIN_DEFINE(plugin);
