/* h33rules: roofline_v2 with one hook: six rules for the MFU of decode
 * attention of unlike contexts, by one knob (H33). */
#include "stepcost/batch.h"
#include "stepcost/mfu/roofline.h"

struct knobs {
	struct sc_mfu_knobs roofline;
	int64_t rule;
};
static const sc_knob *const knobs[] = {
    SC_CHOICE(struct knobs, rule, "weighted", sc_decode_mfu_words,
	      "The mean of the MFUs that are looked up (H33)."),
#include "stepcost/mfu/knobs.inc"
};

/* begin */
static double attention(struct sc_mfu_roofline *s, const sc_step *step,
			const struct sc_load *l, struct sc_mfu_tally *tally)
{
	const int64_t *rule = sc_mfu_own(s);
	double second = s->att_per_token / s->m.peak * s->m.inv_tp;
	if (!(l->context > 0))
		return 0;
	return sc_mfu_decode_price(&s->decode, step, l, *rule, SC_FLOPS_SUM,
				   second, tally)
	    .seconds;
}
/* end */

static int32_t create(void **inst, const sc_setup *setup, const void *block,
		      sc_error *err)
{
	static const struct sc_mfu_hooks hooks = {.decode_attention =
						      attention};
	struct knobs k = *(const struct knobs *)block;
	k.roofline.decode_attention_mfu = SC_DECODE_KV_BUCKET;
	int32_t rc =
	    sc_mfu_create_with(inst, setup, &k, &hooks, sizeof k.rule, err);
	if (rc == SC_OK)
		memcpy(sc_mfu_own(*inst), &k.rule, sizeof k.rule);
	return rc;
}

SC_EVAL_BATCH(sc_mfu_eval);

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .capabilities =
	SC_CAP_NOT_MONOTONE | SC_CAP_ORDER_SENSITIVE | SC_CAP_TABLES,
    .name = "h33rules",
    .version = "1",
    .summary = "roofline_v2 with the rules of H33 by a hook",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .knob_block = sizeof(struct knobs),
    .create = create,
    .destroy = sc_mfu_destroy,
    .eval = sc_mfu_eval,
    .eval_batch = eval_batch,
    .kernel = sc_mfu_roofline_kernel,
    .id = "stepcost.h33rules",
    .author = "The stepcost authors",
    .licence = "MIT",
    .citation = "stepcost, hypothesis H33 of inference-sim",
};
SC_PLUGIN_DEFINE(plugin);
