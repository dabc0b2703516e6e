/* blis_trained_roofline: BLIS' roofline of prefills and of decodes, each times
 * a learnt coefficient; blis_trained_roofline.md has the formulas. */
#include "blis.h"
#include "stepcost/batch.h"

struct knobs {
	const char *gpu;
	int64_t hardware_from_file;
	double ffn_dim;
};
static const sc_knob *const knobs[] = {
    FIELD_GPU_KNOBS(struct knobs),
    SC_DOUBLE(struct knobs, ffn_dim, "0", 0, 1e6, "1",
	      "intermediate_size of the configuration, which an expert has "
	      "here; needed for models with experts. 0: the width of a dense "
	      "FFN."),
};

#define B_PREFILL 0.7726491335309499
#define B_DECODE 1.127489556719325
#define B_WEIGHTS 1.0559901872766853
#define B_LAYER_US 43.500541908701074
#define B_REQUEST_US 48.80613214319187

struct inst {
	struct blis b;
	double dim, kv, ffn, topk;
	double per_token, pair; /* FLOPs, on one rank */
	double kv_us;           /* to move one token's KV */
};

static int32_t start(struct inst *s, const sc_setup *setup,
		     const struct knobs *k, sc_error *err)
{
	int32_t rc = blis_read(
	    &s->b, setup, &(struct blis_knobs){k->gpu, k->hardware_from_file},
	    BLIS_KNOWS, err);
	if (rc != SC_OK)
		return rc;
	const struct field_model *m = &s->b.m;
	if (m->experts > 0 && !(k->ffn_dim > 0))
		return sc_fail(
		    err, SC_EUNSUP,
		    "trained-roofline reads intermediate_size, which "
		    "a model with experts does not tell: set "
		    "ffn_dim");
	s->ffn = k->ffn_dim > 0 ? k->ffn_dim : m->dense_ffn;
	s->topk = fmax(1, m->topk);
	s->dim = floor(m->hidden / m->heads);
	s->kv = m->kv_heads * s->dim;
	s->per_token = m->layers *
		       (2 * m->hidden * (2 * m->hidden + 2 * s->kv) +
			6 * m->hidden * s->ffn * s->topk) /
		       m->tp;
	s->pair = m->layers * 4 * (m->heads / m->tp) * s->dim;
	s->kv_us =
	    2 * m->layers * (s->kv / m->tp) * 2 / (s->b.gpu.bandwidth / 1e6);
	return SC_OK;
}

FIELD_CREATE(struct inst, start)

static double weights_us(const struct inst *s, double tokens)
{
	const struct field_model *m = &s->b.m;
	double d = m->hidden, used = 1;
	if (m->experts > 0)
		used = fmin(m->experts, fmax(s->topk, tokens * s->topk));
	return m->layers * (d * (2 * d + 2 * s->kv) + used * 3 * d * s->ffn) *
	       2 / m->tp / (s->b.gpu.bandwidth / 1e6);
}

static int32_t eval(void *inst, const sc_step *step, sc_result *out,
		    sc_error *err)
{
	const struct inst *s = inst;
	struct field_sums t = field_sums_of(step);
	double pairs = 0, peak = s->b.gpu.peak / 1e6;
	(void)err;
	for (uint32_t i = 0; i < step->n_prefill; i++)
		pairs +=
		    step->prefill_new[i] *
		    (field_prompt(step, i) + (double)step->prefill_new[i] / 2);
	double prefill =
	    fmax((t.prompt * s->per_token + pairs * s->pair) / peak,
		 t.prompt * s->kv_us);
	double decode =
	    fmax((t.decodes * s->per_token + t.contexts * s->pair) / peak,
		 (t.contexts + t.decodes) * s->kv_us);
	double us = B_PREFILL * prefill + B_DECODE * decode +
		    B_WEIGHTS * weights_us(s, t.prompt + t.decodes) +
		    B_LAYER_US * s->b.m.layers + B_REQUEST_US * t.requests;
	return blis_answer(out, us);
}

SC_EVAL_BATCH(eval);

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .name = "blis_trained_roofline",
    .version = "87cc70ed",
    .summary = "BLIS: rooflines of both phases times learnt coefficients",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .knob_block = sizeof(struct knobs),
    .create = create,
    .destroy = free,
    .eval = eval,
    .eval_batch = eval_batch,
    .id = "io.github.inference-sim.trained-roofline",
    .author = "inference-sim",
    .licence = BLIS_LICENCE,
    .url = BLIS_URL,
    .citation =
	"inference-sim (BLIS), sim/latency/trained_roofline.go at 87cc70ed",
};
SC_PLUGIN_DEFINE(plugin);
