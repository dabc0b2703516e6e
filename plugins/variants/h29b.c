/* h29b: roofline_v2 with one hook: prefill attention of each request at the MFU
 * of its own length (option B of H29). */
#include "stepcost/batch.h"
#include "stepcost/mfu/roofline.h"

static const sc_knob *const knobs[] = {
#include "stepcost/mfu/knobs.inc"
};

/* begin */
static double attention(struct sc_mfu_roofline *s, const sc_step *step,
			struct sc_mfu_tally *tally)
{
	double sum = 0, divisor = s->k.prefill_attention_divisor;
	for (uint32_t i = 0; i < step->n_prefill; i++) {
		double rows = step->prefill_new[i];
		double length = step->prefill_ctx[i] + rows;
		struct sc_mfu mfu =
		    sc_mfu_at(&s->prefill_from, s->rules, 1, length);
		sc_mfu_bound(tally, mfu.value);
		sum += rows * length / mfu.value;
	}
	return sum * s->att_per_token / divisor / s->m.peak * s->m.inv_tp;
}
/* end */

static int32_t create(void **inst, const sc_setup *setup, const void *block,
		      sc_error *err)
{
	static const struct sc_mfu_hooks hooks = {.prefill_attention =
						      attention};
	struct sc_mfu_knobs k = *(const struct sc_mfu_knobs *)block;
	k.decode_attention_mfu = SC_DECODE_WEIGHTED;
	return sc_mfu_create_with(inst, setup, &k, &hooks, 0, err);
}

SC_EVAL_BATCH(sc_mfu_eval);

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .capabilities =
	SC_CAP_NOT_MONOTONE | SC_CAP_ORDER_SENSITIVE | SC_CAP_TABLES,
    .name = "h29b",
    .version = "1",
    .summary = "roofline_v2 with option B of H29 by a hook",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .knob_block = sizeof(struct sc_mfu_knobs),
    .create = create,
    .destroy = sc_mfu_destroy,
    .eval = sc_mfu_eval,
    .eval_batch = eval_batch,
    .kernel = sc_mfu_roofline_kernel,
    .id = "stepcost.h29b",
    .author = "The stepcost authors",
    .licence = "MIT",
    .citation = "stepcost, hypothesis H29 of inference-sim, option B",
};
SC_PLUGIN_DEFINE(plugin);
