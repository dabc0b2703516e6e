/* blis_crossmodel: BLIS' regression over models.  It sees the numbers of
 * tokens and no context length; blis_crossmodel.md has the formula. */
#include "blis.h"
#include "stepcost/batch.h"

static const sc_knob *const knobs[] = {FIELD_GPU_KNOBS(struct blis_knobs)};

#define LAYER_US 116.110
#define DECODE_US 1226.868 /* a decode and 10^6 values of its KV a token */
#define TOKEN_US 19.943    /* a token, of models with experts */
#define TP_US 9445.157

FIELD_CREATE(struct blis, blis_start)

static int32_t eval(void *inst, const sc_step *step, sc_result *out,
		    sc_error *err)
{
	const struct blis *b = inst;
	const struct field_model *m = &b->m;
	struct field_sums t = field_sums_of(step);
	double kv = m->layers * m->kv_heads * (m->hidden / m->heads) / m->tp;
	(void)err;
	double us = LAYER_US * m->layers + DECODE_US * t.decodes * (kv * 1e-6);
	if (m->experts > 0)
		us += TOKEN_US * (t.prompt + t.decodes);
	if (m->tp > 1)
		us += TP_US;
	return blis_answer(out, us);
}

SC_EVAL_BATCH(eval);

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .name = "blis_crossmodel",
    .version = "87cc70ed",
    .summary = "BLIS: a regression over models, without contexts",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .knob_block = sizeof(struct blis_knobs),
    .create = create,
    .destroy = free,
    .eval = eval,
    .eval_batch = eval_batch,
    .id = "io.github.inference-sim.crossmodel",
    .author = "inference-sim",
    .licence = BLIS_LICENCE,
    .url = BLIS_URL,
    .citation = "inference-sim (BLIS), sim/latency/crossmodel.go at 87cc70ed",
};
SC_PLUGIN_DEFINE(plugin);
