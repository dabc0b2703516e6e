/* h28fix: roofline_v2 with one hook: the FLOPs of decode attention, of the
 * batch at its longest kv or of each request (H28). */
#include "stepcost/batch.h"
#include "stepcost/mfu/roofline.h"

struct knobs {
	struct sc_mfu_knobs roofline;
	int64_t longest;
};
static const sc_knob *const knobs[] = {
    SC_BOOL(struct knobs, longest, "false",
	    "Decode attention of n requests at the longest kv (H28)."),
#include "stepcost/mfu/knobs.inc"
};

/* begin */
static double attention(struct sc_mfu_roofline *s, const sc_step *step,
			const struct sc_load *l, struct sc_mfu_tally *tally)
{
	const int64_t *longest = sc_mfu_own(s);
	double seconds = sc_mfu_decode_attention(s, step, l, tally);
	double times = l->n * sc_longest_decode(step) / l->context;
	if (!*longest || !(l->context > 0))
		return seconds;
	tally->flops *= times;
	return seconds * times;
}
/* end */

static int32_t create(void **inst, const sc_setup *setup, const void *block,
		      sc_error *err)
{
	static const struct sc_mfu_hooks hooks = {.decode_attention =
						      attention};
	struct knobs k = *(const struct knobs *)block;
	k.roofline.decode_attention_mfu = SC_DECODE_WEIGHTED;
	int32_t rc =
	    sc_mfu_create_with(inst, setup, &k, &hooks, sizeof k.longest, err);
	if (rc == SC_OK)
		memcpy(sc_mfu_own(*inst), &k.longest, sizeof k.longest);
	return rc;
}

SC_EVAL_BATCH(sc_mfu_eval);

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .capabilities =
	SC_CAP_NOT_MONOTONE | SC_CAP_ORDER_SENSITIVE | SC_CAP_TABLES,
    .name = "h28fix",
    .version = "1",
    .summary = "roofline_v2 with the FLOPs of H28 by a hook",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .knob_block = sizeof(struct knobs),
    .create = create,
    .destroy = sc_mfu_destroy,
    .eval = sc_mfu_eval,
    .eval_batch = eval_batch,
    .kernel = sc_mfu_roofline_kernel,
    .id = "stepcost.h28fix",
    .author = "The stepcost authors",
    .licence = "MIT",
    .citation = "stepcost, hypothesis H28 of inference-sim",
};
SC_PLUGIN_DEFINE(plugin);
