/* dynamo_mocker: the stand-in timing of Dynamo's mock engine; it knows no model
 * and no GPU.  dynamo_mocker.md has the formulas. */
#include "field.h"
#include "stepcost/batch.h"

struct knobs {
	double kv_tokens;
};
static const sc_knob *const knobs[] = {
    SC_DOUBLE(struct knobs, kv_tokens, "0", 0, 1e12, "token",
	      "Tokens that the KV cache of a replica holds. 0: those of the "
	      "engine."),
};

struct inst {
	double capacity, block;
};

static int32_t start(struct inst *s, const sc_setup *setup,
		     const struct knobs *k, sc_error *err)
{
	const sc_engine *e = setup->engine;
	int32_t rc = field_split(setup->parallel,
				 FIELD_TP | FIELD_PP | FIELD_EP | FIELD_DP,
				 "Dynamo's mocker", err);
	if (rc != SC_OK)
		return rc;
	s->block = fmax(1, e->block_size);
	s->capacity = k->kv_tokens;
	if (!(s->capacity > 0) && SC_HAS(e, kv_tokens))
		s->capacity = e->kv_tokens;
	if (s->capacity > 0)
		return SC_OK;
	return sc_fail(err, SC_EUNSUP,
		       "Dynamo's mocker prices a share of the KV cache, and "
		       "its capacity is not known here: set kv_tokens");
}

FIELD_CREATE(struct inst, start)

static double prefill_ms(const sc_step *step)
{
	double n = step->n_prefill, all = 0, cached = 0;
	if (!step->n_prefill)
		return 0;
	for (uint32_t i = 0; i < step->n_prefill; i++) {
		all += (double)step->prefill_ctx[i] + step->prefill_new[i];
		cached += step->prefill_ctx[i];
	}
	double t = n * (floor(all / n) - floor(cached / n));
	return 4.209989e-07 * t * t + 1.518344e-02 * t + 16.50142;
}

/* Active tokens are whole blocks of all requests of the step. */
static double decode_ms(const struct inst *s, const sc_step *step)
{
	uint32_t size = (uint32_t)s->block;
	int shift = size & (size - 1) ? -1 : __builtin_ctz(size);
	uint64_t whole = step->n_decode; /* one more: of the new token */
	for (uint32_t i = 0; i < step->n_decode; i++)
		whole += shift < 0 ? step->decode_ctx[i] / size
				   : step->decode_ctx[i] >> shift;
	double blocks = (double)whole;
	for (uint32_t i = 0; i < step->n_prefill; i++)
		blocks +=
		    ceil(((double)step->prefill_ctx[i] + step->prefill_new[i]) /
			 s->block);
	double p = blocks * s->block / s->capacity;
	return fmax(1, -25.74 * p * p + 54.01 * p + 5.74);
}

static int32_t eval(void *inst, const sc_step *step, sc_result *out,
		    sc_error *err)
{
	const struct inst *s = inst;
	double ms = prefill_ms(step);
	(void)err;
	if (step->n_sampled > 0)
		ms += decode_ms(s, step);
	return field_answer(out, ms * 1000);
}

SC_EVAL_BATCH(eval);

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .capabilities = SC_CAP_NOT_MONOTONE,
    .name = "dynamo_mocker",
    .version = "1b3cbe1",
    .summary = "the timing of Dynamo's mock engine: no model, no GPU",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .knob_block = sizeof(struct knobs),
    .create = create,
    .destroy = free,
    .eval = eval,
    .eval_batch = eval_batch,
    .id = "io.github.ai-dynamo.mocker",
    .author = "NVIDIA",
    .licence = "Apache-2.0",
    .url = "https://github.com/ai-dynamo/dynamo",
    .citation = "Dynamo's mocker, in the fork atomic/dynamo at 1b3cbe1",
};
SC_PLUGIN_DEFINE(plugin);
