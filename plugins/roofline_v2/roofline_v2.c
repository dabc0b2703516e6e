/* roofline_v2: prices a step by the roofline with MFU from tables, in each of
 * its published states; roofline_v2.md, stepcost/mfu/roofline.h. */
#include "stepcost/batch.h"
#include "stepcost/mfu/roofline.h"

static const sc_knob *const knobs[] = {
#include "stepcost/mfu/knobs.inc"
    SC_MFU_CHOICE(
	decode_attention_flops, "sum", sc_decode_flops_words,
	"Decode attention FLOPs: each request's own, batch times the longest, "
	"13 times too many at batch 16 (H28), or each request's at the top of "
	"its bucket, with decode_attention_mfu = kv_bucket."),
    SC_MFU_CHOICE(
	decode_attention_mfu, "weighted", sc_decode_mfu_words,
	"Decode attention's MFU: at the longest kv (H33 measured 0.2 to 5 "
	"times the time); weighted by kv; weighted_single, the same at batch "
	"1, as H33 proposed; per request at batch 1; harmonic, times added up; "
	"or by buckets of kv as the V2 plan review did."),
    SC_NUMBERS(
	struct sc_mfu_knobs, kv_bucket_edges, "", "token",
	"Tops of the buckets, ascending; empty: the powers of two from 1024 "
	"on; 2048, 8192, 32768 are the V2 plan review's.",
	.when = "decode_attention_mfu=kv_bucket"),
    SC_MFU_CHOICE(kv_bucket_round, "up", sc_kv_round_words,
		  "The edge of a context's bucket: the next one above, or the "
		  "nearest; the V2 plan review left it open.",
		  .when = "decode_attention_mfu=kv_bucket"),
};

/* What every published state has. */
#define PUBLISHED                                                              \
	"missing_cell", "zero", "mfu_digits", "3", "bw_efficiency", "0",       \
	    "cpu_overhead_per_layer_us", "0"
#define REVIEWED                                                               \
	PUBLISHED, "lookup", "nearest", "prefill_attention_length", "bucket",  \
	    "decode_attention_flops", "max", "decode_attention_mfu", "max",    \
	    "gemm_memory_floor", "false", "mixed", "adaptive", "overhead",     \
	    "batch_scaled", "min_step_us", "0", "gemm_sum", "by_layer"
#define H33                                                                    \
	PUBLISHED, "missing_tp", "one", "decode_attention_mfu", "max",         \
	    "gemm_memory_floor", "false", "mixed", "adaptive", "gemm_sum",     \
	    "by_layer"

static const char *const fixed[] = {PUBLISHED, NULL};
static const char *const reviewed[] = {
    REVIEWED,   "softmax_flops",          "true",     "prefill_gemm_rows",
    "requests", "prefill_attention_rows", "requests", NULL};
static const char *const review_fixes[] = {
    REVIEWED, "causal_mask", "0.5", "prefill_attention_divisor",
    "1",      "bucket_key",  "new", NULL};
static const char *const h29[] = {H33,      "prefill_attention_length",
				  "bucket", "decode_attention_flops",
				  "max",    NULL};
static const char *const h33[] = {H33, NULL};

#define PRESET(values_, help_)                                                 \
	&(const sc_preset)                                                     \
	{                                                                      \
		.size = sizeof(sc_preset), .name = #values_, .help = (help_),  \
		.values = (values_)                                            \
	}
static const sc_preset *const presets[] = {
    PRESET(fixed, "The last published state, all reported defects fixed."),
    PRESET(reviewed, "As the implementation review read it."),
    PRESET(review_fixes, "The fixes which that review proposed."),
    PRESET(h29, "The state that H28, H29 and H27 measured."),
    PRESET(h33, "The state that H33 measured."),
};

static int32_t create(void **inst, const sc_setup *setup, const void *block,
		      sc_error *err)
{
	return sc_mfu_create_with(inst, setup, block, NULL, 0, err);
}

SC_EVAL_BATCH(sc_mfu_eval);

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .capabilities =
	SC_CAP_NOT_MONOTONE | SC_CAP_ORDER_SENSITIVE | SC_CAP_TABLES,
    .name = "roofline_v2",
    .version = "2",
    .summary = "roofline with MFU from measured tables",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .n_presets = sizeof presets / sizeof *presets,
    .knob = knobs,
    .preset = presets,
    .knob_block = sizeof(struct sc_mfu_knobs),
    .create = create,
    .destroy = sc_mfu_destroy,
    .eval = sc_mfu_eval,
    .eval_batch = eval_batch,
    .kernel = sc_mfu_roofline_kernel,
    .id = "stepcost.roofline-v2",
    .author = "The stepcost authors",
    .licence = "MIT",
    .citation = "roofline model of inference-sim with MFU from tables, branch "
		"roofline-go-and-hypotheses at 487017b",
};
SC_PLUGIN_DEFINE(plugin);
