/* blis_roofline: the analytical roofline of BLIS.  One maximum of compute and
 * memory time for the whole step; blis_roofline.md has the formulas. */
#include "blis.h"
#include "stepcost/batch.h"

static const sc_knob *const knobs[] = {FIELD_GPU_KNOBS(struct blis_knobs)};

FIELD_CREATE(struct blis, blis_start)

/* FLOPs of n new tokens with their pairs of a query and a key.  Two matrices of
 * the FFN count, though gated ones have three; shared experts, router and LM
 * head do not. */
static double flops_of(const struct blis *b, double n, double pairs)
{
	const struct field_model *m = &b->m;
	double d = m->hidden, dim = d / m->heads, kv = m->kv_heads * dim;
	double layer = 2 * n * (d * d + 2 * d * kv) + 2 * n * d * d +
		       4 * m->heads * pairs * dim + 5 * m->heads * pairs +
		       2 * n * d;
	return m->layers * layer +
	       b->moe_layers * 2 * n * (2 * d * m->expert_ffn) * m->topk +
	       b->dense_layers * 2 * n * (2 * d * m->dense_ffn);
}
static double flops(const struct blis *b, double n, double cached)
{
	return flops_of(b, n, n * (n > 1 ? cached + (n - 1) / 2 : cached));
}

/* Bytes of a request: its KV cache, and activations of new tokens. */
static double request_bytes(const struct blis *b, double n, double cached)
{
	const struct field_model *m = &b->m;
	return 2 * m->layers * m->kv_heads * (m->hidden / m->heads) * 2 *
		   (n + cached) +
	       m->layers * m->hidden * 2 * n;
}

static double weight_bytes(const struct blis *b, double tokens)
{
	const struct field_model *m = &b->m;
	double d = m->hidden, kv = m->kv_heads * (d / m->heads);
	double used = 0;
	if (m->experts > 0)
		used = m->experts *
		       (1 - pow((m->experts - m->topk) / m->experts, tokens));
	return (m->layers * (d * (d + 2 * kv) + d * d) +
		b->moe_layers * 2 * d * m->expert_ffn * used +
		b->dense_layers * 2 * d * m->dense_ffn) *
	       m->weight_bytes;
}

static int32_t eval(void *inst, const sc_step *step, sc_result *out,
		    sc_error *err)
{
	const struct blis *b = inst;
	double compute = 0, bytes = 0, tokens = step->n_decode;
	(void)err;
	for (uint32_t i = 0; i < step->n_prefill; i++) {
		double n = step->prefill_new[i], cached = step->prefill_ctx[i];
		compute += flops(b, n, cached) / b->m.tp /
			   (b->peak * b->gpu.mfu_prefill);
		bytes += request_bytes(b, n, cached);
		tokens += n;
	}
	if (step->n_decode) {
		double contexts = (double)sc_decode_ctx_sum(step);
		compute += flops_of(b, step->n_decode, contexts) / b->m.tp /
			   (b->peak * b->gpu.mfu_decode);
		bytes += request_bytes(b, step->n_decode, contexts);
	}
	double memory = (weight_bytes(b, tokens) / b->m.tp + bytes / b->m.tp) /
			b->gpu.bandwidth;
	out->bound = compute > memory ? SC_BOUND_COMPUTE : SC_BOUND_MEMORY;
	return blis_answer(out, fmax(compute, memory) * 1e6);
}

SC_EVAL_BATCH(eval);

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .name = "blis_roofline",
    .version = "f90a1e3",
    .summary = "BLIS: one roofline for the whole step",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .knob_block = sizeof(struct blis_knobs),
    .create = create,
    .destroy = free,
    .eval = eval,
    .eval_batch = eval_batch,
    .id = "io.github.inference-sim.roofline",
    .author = "inference-sim",
    .licence = BLIS_LICENCE,
    .url = BLIS_URL,
    .citation = "inference-sim (BLIS), sim/latency/roofline.go at f90a1e3",
};
SC_PLUGIN_DEFINE(plugin);
