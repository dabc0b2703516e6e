/* blis_trained_physics: BLIS' roofline in parts, each times a coefficient that
 * was learnt from runs of vLLM 0.15; blis_trained_physics.md has the formulas.
 */
#include "blis.h"
#include "stepcost/batch.h"

static const sc_knob *const knobs[] = {FIELD_GPU_KNOBS(struct blis_knobs)};

/* Coefficients of defaults.yaml; those of prefill's KV writes and of decode's
 * compute are 0.  The last is us a MoE layer of interleaved models. */
#define B_PREFILL 0.152128
#define B_DECODE_KV 1.94710771
#define B_WEIGHTS 1.36252915
#define B_ALL_REDUCE 0.752037
#define B_DISPATCH 0.752037
#define B_LAYER_US 32.09546717
#define B_REQUEST_US 4.41684444
#define B_STEP_US 126.024825
#define B_INTERLEAVED_US 481.8613888
/* Outside of the step, us: before a request queues, once at its end, and of
 * each output token (trained_physics_model.go:518-536). */
#define A_BEFORE_US 15563.199579
#define A_AFTER_US 777.3455
#define A_TOKEN_US 45.907545

struct inst {
	struct blis b;
	double dim, kv;   /* of a head; of all KV heads */
	double ranks;     /* that experts are spread over */
	double per_token; /* FLOPs of a token but attention's, on one rank */
	double pair;      /* FLOPs of a (query, key) pair, on one rank */
	double weights_us, all_reduce_us,
	    dispatch_us; /* the last two: a token */
	double kv_us;    /* to move one token's KV on one rank */
	double fixed_us;
};

/* How often a token is sent to each of its experts; -1: BLIS does not know the
 * back end. */
static double copies(const char *backend, double topk)
{
	static const char *const all_to_all[] = {
	    "pplx", "deepep_high_throughput", "deepep_low_latency", "mori",
	    "flashinfer_all2allv"};
	static const char *const gather[] = {"", "naive",
					     "allgather_reducescatter"};
	for (size_t i = 0; i < sizeof all_to_all / sizeof *all_to_all; i++)
		if (!strcmp(backend, all_to_all[i]))
			return topk;
	for (size_t i = 0; i < sizeof gather / sizeof *gather; i++)
		if (!strcmp(backend, gather[i]))
			return 1;
	return -1;
}

static void weights(struct inst *s)
{
	const struct blis *b = &s->b;
	const struct field_model *m = &b->m;
	double d = m->hidden, shared = m->n_shared * m->shared_ffn;
	s->weights_us =
	    (m->layers * d * (2 * d + 2 * s->kv) * m->weight_bytes / m->tp +
	     b->moe_layers * (m->experts / s->ranks) * 3 * d * m->expert_ffn *
		 m->weight_bytes +
	     b->moe_layers * 3 * d * shared * m->weight_bytes / m->tp +
	     b->dense_layers * 3 * d * m->dense_ffn * m->weight_bytes / m->tp) /
	    (b->gpu.bandwidth / 1e6);
}

/* Computes what does not depend on the step: FLOPs per token and per pair of
 * query and key, and the us of KV, of communication and of each step. */
static void rates(struct inst *s, double topk, double times)
{
	const struct blis *b = &s->b;
	const struct field_model *m = &b->m;
	double d = m->hidden, split = m->tp * m->dp;
	double bandwidth = b->gpu.bandwidth / 1e6; /* byte/us */
	double shared = m->n_shared * m->shared_ffn;
	s->per_token =
	    m->layers * 2 * d * (2 * d + 2 * s->kv) / split +
	    b->moe_layers * (topk / s->ranks) * 6 * d * m->expert_ffn +
	    b->moe_layers * 6 * d * shared / split +
	    b->dense_layers * 6 * d * m->dense_ffn / split;
	s->pair = m->layers / m->dp * 4 * (m->heads / m->tp) * s->dim;
	s->kv_us = 2 * m->layers * (s->kv / split) * 2 / bandwidth;
	double units = m->layers / m->dp + b->dense_layers / m->dp +
		       (m->dp > 1 ? 0 : b->moe_layers);
	if (m->tp > 1)
		s->all_reduce_us =
		    units * d * 2 * 2 * ((m->tp - 1) / m->tp) / bandwidth;
	if (m->experts >= 2 && m->dp > 1)
		s->dispatch_us = times * b->moe_layers / m->dp *
				 ((s->ranks - 1) / s->ranks) * 2 * d * 2 /
				 bandwidth;
	weights(s);
	s->fixed_us =
	    B_LAYER_US * m->layers + B_STEP_US +
	    (b->is_interleaved ? B_INTERLEAVED_US * b->moe_layers : 0);
}

static int32_t start(struct inst *s, const sc_setup *setup, const void *block,
		     sc_error *err)
{
	const char *backend = "";
	int32_t rc = blis_read(&s->b, setup, block,
			       BLIS_KNOWS | FIELD_DP | FIELD_EP, err);
	if (rc != SC_OK)
		return rc;
	const struct field_model *m = &s->b.m;
	if (SC_HAS(setup->engine, expert_dispatch) &&
	    setup->engine->expert_dispatch)
		backend = setup->engine->expert_dispatch;
	double topk = fmax(1, m->topk), times = copies(backend, topk);
	if (times < 0)
		return sc_fail(err, SC_EUNSUP,
			       "BLIS knows no all-to-all back end %s", backend);
	s->dim = floor(m->hidden / m->heads);
	s->kv = m->kv_heads * s->dim;
	s->ranks = m->experts >= 2 ? m->tp * m->dp : m->tp;
	rates(s, topk, times);
	return SC_OK;
}

FIELD_CREATE(struct inst, start)

static int32_t eval(void *inst, const sc_step *step, sc_result *out,
		    sc_error *err)
{
	const struct inst *s = inst;
	struct field_sums t = field_sums_of(step);
	/* With data parallelism BLIS prices the step of all ranks. */
	double ranks =
	    SC_HAS(step, dp_tokens) && step->dp_tokens ? s->b.m.dp : 1;
	double pairs = 0;
	(void)err;
	for (uint32_t i = 0; i < step->n_prefill; i++)
		pairs +=
		    step->prefill_new[i] *
		    (field_prompt(step, i) + (double)step->prefill_new[i] / 2);
	double tokens = ranks * (t.prompt + t.decodes);
	double flops_us = B_PREFILL / (s->b.peak / 1e6) * ranks;
	int decodes = step->n_decode > 0;
	double prompts_us = flops_us * t.prompt * s->per_token;
	double chunks_us = flops_us * pairs * s->pair;
	double kv_us =
	    B_DECODE_KV * s->kv_us * ranks * (t.contexts + t.decodes);
	double comm_us =
	    (B_ALL_REDUCE * s->all_reduce_us + B_DISPATCH * s->dispatch_us) *
	    tokens;
	double weights_us = B_WEIGHTS * s->weights_us;
	double rest_us = B_REQUEST_US * ranks * t.requests + s->fixed_us;
	if (step->n_prefill) {
		out->gemm_us[SC_PREFILL] =
		    prompts_us + (decodes ? 0 : weights_us);
		out->attention_us[SC_PREFILL] = chunks_us;
	}
	if (decodes) {
		out->gemm_us[SC_DECODE] = weights_us;
		out->attention_us[SC_DECODE] = kv_us;
	}
	out->comm_us = comm_us;
	out->overhead_us = rest_us;
	double us =
	    prompts_us + chunks_us + kv_us + comm_us + weights_us + rest_us;
	return blis_answer(out, us);
}

static int32_t request_costs(void *inst, sc_request_costs *out, sc_error *err)
{
	(void)inst, (void)err;
	out->before_us = A_BEFORE_US;
	out->after_us = A_AFTER_US;
	out->output_token_us = A_TOKEN_US;
	return SC_OK;
}

SC_EVAL_BATCH(eval);

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .name = "blis_trained_physics",
    .version = "f90a1e3",
    .summary = "BLIS: parts of a roofline times learnt coefficients",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .knob_block = sizeof(struct blis_knobs),
    .create = create,
    .destroy = free,
    .eval = eval,
    .eval_batch = eval_batch,
    .id = "io.github.inference-sim.trained-physics",
    .author = "inference-sim",
    .licence = BLIS_LICENCE,
    .url = BLIS_URL,
    .citation = "inference-sim (BLIS), trained_physics_model.go at f90a1e3",
    .request_costs = request_costs,
};
SC_PLUGIN_DEFINE(plugin);
