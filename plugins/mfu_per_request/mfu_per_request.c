/* mfu_per_request: prices a step as roofline_v2 does, but with a decode MFU of
 * its own for each request; mfu_per_request.md. */
#include "stepcost/mfu/roofline.h"

struct knobs {
	struct sc_mfu_knobs roofline; /* first: knobs.inc has its offsets */
	int64_t at, mean;
};
#define ATS(X) X(AT_BATCH, "batch"), X(AT_SINGLE, "single")
SC_WORDS(at, ATS);
#define MEANS(X) X(MEAN_HARMONIC, "harmonic"), X(MEAN_ARITHMETIC, "arithmetic")
SC_WORDS(mean, MEANS);
/* The words of SC_DECODE_FLOPS without its last: there are no buckets here. */
static const char *const flops_words[] = {"sum", "max", NULL};

static const sc_knob *const knobs[] = {
    SC_CHOICE(
	struct knobs, at, "batch", at_words,
	"Look up each request's MFU at (batch, its kv), or at (1, its kv) as "
	"H33 proposed; that prices a batch as if its requests ran one by one."),
    SC_CHOICE(struct knobs, mean, "harmonic", mean_words,
	      "How to average MFU over kv: harmonic adds up times; "
	      "arithmetic adds up rates, as in roofline_v2."),
    SC_MFU_CHOICE(decode_attention_flops, "sum", flops_words,
		  "Decode attention FLOPs: each request's own, or batch times "
		  "the longest, 13 times too many at batch 16 (H28)."),
#include "stepcost/mfu/knobs.inc"
};

/* The mode of roofline_v2, by at and mean. */
static const int64_t mode[2][2] = {
    [AT_BATCH] = {[MEAN_HARMONIC] = SC_DECODE_HARMONIC,
		  [MEAN_ARITHMETIC] = SC_DECODE_WEIGHTED},
    [AT_SINGLE] = {[MEAN_HARMONIC] = SC_DECODE_PER_REQUEST,
		   [MEAN_ARITHMETIC] = SC_DECODE_WEIGHTED_SINGLE}};

static int32_t create(void **inst, const sc_setup *setup, const void *block,
		      sc_error *err)
{
	const struct knobs *own = block;
	struct sc_mfu_knobs k = own->roofline;
	k.decode_attention_mfu = mode[own->at][own->mean];
	return sc_mfu_create(inst, setup, &k, err);
}

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .capabilities =
	SC_CAP_NOT_MONOTONE | SC_CAP_ORDER_SENSITIVE | SC_CAP_TABLES,
    .name = "mfu_per_request",
    .version = "1",
    .summary = "roofline_v2 with a decode MFU per request",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .knob_block = sizeof(struct knobs),
    .create = create,
    .destroy = sc_mfu_destroy,
    .eval = sc_mfu_eval,
    .kernel = sc_mfu_roofline_kernel,
    .id = "stepcost.mfu-per-request",
    .author = "The stepcost authors",
    .licence = "MIT",
    .citation = "stepcost, mfu_per_request: hypothesis H33 of inference-sim, "
		"on roofline_v2",
};
SC_PLUGIN_DEFINE(plugin);
