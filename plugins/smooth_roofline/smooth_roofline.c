/* smooth_roofline.c -- Prices a step as a sum of component rooflines, each a
 * smooth maximum of its bytes and its FLOPs.  smooth_roofline.md has the
 * formulas, the sources of the coefficients, and the limits.
 *
 * Every coefficient is a knob, so that one set of knobs prices all GPUs and can
 * be refitted over all of them. */
#include <stdlib.h>
#include "stepcost/batch.h"
#include "stepcost/fail.h"
#include "inst.h"

/* ---- knobs ---- */

#define EFFICIENCY(field, def, help)                                           \
	SC_DOUBLE(struct knobs, field, def, 1e-3, 1, "1", help)

#define FAMILY_KNOB(family, suffix, field, def_, min_, max_, unit_, help_)     \
	&(const sc_knob){.size = sizeof(sc_knob),                              \
			 .type = SC_KNOB_DOUBLE,                               \
			 .offset = offsetof(struct knobs, of[family].field),   \
			 .name = #field #suffix,                               \
			 .def = (def_),                                        \
			 .min = (min_),                                        \
			 .max = (max_),                                        \
			 .unit = (unit_),                                      \
			 .help = (help_)},
#define FAMILY_SHARE(family, suffix, field, def, help)                         \
	FAMILY_KNOB(family, suffix, field, def, 1e-3, 1, "1", help)

/* Each macro takes a row of FAMILIES or FP8_FAMILIES, and makes the knob of one
 * of its columns. */
/* clang-format off */
#define EW(f, suffix, gpus, ew_, ...) \
	FAMILY_SHARE(f, suffix, ew, ew_, "Weight bandwidth, " gpus ".")
#define EKV(f, suffix, gpus, ew_, ekv_, ...) \
	FAMILY_SHARE(f, suffix, ekv, ekv_, "KV bandwidth, " gpus ".")
#define EDT(f, suffix, gpus, ew_, ekv_, edt_, ...) \
	FAMILY_KNOB(f, suffix, edt_us, edt_, 0, 1e4, "us", \
		    "Fixed cost of decode attention, a layer, " gpus ".")
#define EC(f, suffix, gpus, ew_, ekv_, edt_, ec_, ...) \
	FAMILY_SHARE(f, suffix, ec, ec_, "GEMM compute, " gpus ".")
#define EP(f, suffix, gpus, ew_, ekv_, edt_, ec_, ep_, ...) \
	FAMILY_SHARE(f, suffix, ep, ep_, "Prefill attention compute, " gpus ".")
#define ARW(f, suffix, gpus, ew_, ekv_, edt_, ec_, ep_, arw_, ...) \
	FAMILY_KNOB(f, suffix, arw, arw_, 0, 1, "1", \
		    "Link bandwidth of vLLM's own all-reduce, up to 8 MiB; 0: " \
		    "there is none, " gpus ".")
#define ARB(f, suffix, gpus, ew_, ekv_, edt_, ec_, ep_, arw_, arb_, ...) \
	FAMILY_SHARE(f, suffix, arb, arb_, "Link bandwidth of a ring, " gpus ".")
#define EMC(f, suffix, gpus, ew_, ekv_, edt_, ec_, ep_, arw_, arb_, emc_, ...) \
	FAMILY_SHARE(f, suffix, emc, emc_, "Expert compute, " gpus ".")
#define EC_FP8(f, suffix, gpus, ec_, emc_, ...) \
	FAMILY_SHARE(f, suffix, ec_fp8, ec_, "GEMM compute in FP8, " gpus ".")
#define EMC_FP8(f, suffix, gpus, ec_, emc_, ...) \
	FAMILY_SHARE(f, suffix, emc_fp8, emc_, "Expert compute in FP8, " gpus ".")

static const sc_knob *const knobs[] = {
    SC_CHOICE(struct knobs, family, "auto", family_words,
	      "The GPU that coefficients are taken from; auto: by the rates "
	      "of the hardware, or else by its name."),
    SC_CHOICE(struct knobs, figures, "auto", figures_words,
	      "The peak rates: those of the family or of the hardware; "
	      "auto: of the family if both agree within 1 %."),
    SC_CHOICE(struct knobs, scout_experts, "fp8", scout_words,
	      "Llama-4-Scout's experts: FP8, as in the checkpoint that was "
	      "measured, or as its config says."),
    SC_CHOICE(struct knobs, sampled, "top_p", sampled_words,
	      "The requests that cost csv: those that the engine samples "
	      "with top_p or top_k, or all."),
    SC_BOOL(struct knobs, allow_extrapolation, "false",
	    "Price GPUs and attention that the coefficients do not cover."),
    FAMILIES(EW) FAMILIES(EKV) FAMILIES(EC) FP8_FAMILIES(EC_FP8) FAMILIES(EP)
    SC_DOUBLE(struct knobs, ept_us, "4.11178", 0, 1e4, "us",
	      "Fixed cost of prefill attention, a layer."),
    FAMILIES(EDT)
    SC_DOUBLE(struct knobs, kvq, "46.5947", 0, 1e5, "token",
	      "Context that a decoding sequence costs beside its own."),
    SC_DOUBLE(struct knobs, p, "1.94494", 1.01, 100, "1",
	      "Sharpness of the smooth maximum."),
    SC_DOUBLE(struct knobs, pel, "2.92064", 0, 100, "1",
	      "Passes of elementwise kernels over the bytes of prompts."),
    SC_DOUBLE(struct knobs, ara_us, "6.53004", 0, 1e4, "us",
	      "Latency of an all-reduce of two ranks."),
    SC_DOUBLE(struct knobs, arl_us, "1.27401", 0, 1e4, "us",
	      "More latency for each doubling of ranks."),
    SC_DOUBLE(struct knobs, art_us, "7.91253", 0, 1e4, "us",
	      "More latency of the second stage of vLLM's own all-reduce."),
    FAMILIES(ARW) FAMILIES(ARB)
    SC_DOUBLE(struct knobs, arh, "0.229829", 0, 1, "1",
	      "Link bandwidth of messages that cross the host one after "
	      "another: more than two ranks without NVLink; 0: a ring."),
    SC_DOUBLE(struct knobs, moel_us, "53.4765", 0, 1e5, "us",
	      "Fixed cost of an MoE layer."),
    EFFICIENCY(emoe, "0.933879", "Expert weight bandwidth."),
    FAMILIES(EMC) FP8_FAMILIES(EMC_FP8)
    SC_INT(struct knobs, tile, "256", 0, 4096, "token",
	   "Rows of a GEMM's tile where it has more than 512; 0: as many as "
	   "there are tokens."),
    SC_DOUBLE(struct knobs, etile, "118.153", 0, 1e4, "1",
	      "Rows of tiles that stay empty, for each expert that is hit; at "
	      "most as many as are full."),
    SC_DOUBLE(
	struct knobs, csv, "126.499", 0, 1e5, "1",
	"Passes over the fp32 logits that sampling by top_p or top_k costs."),
    SC_DOUBLE(struct knobs, csq, "10.9005", 0, 1e5, "1",
	      "Sequences that sampling by top_p or top_k costs beside those it "
	      "samples."),
    SC_DOUBLE(struct knobs, cl_us, "7.54724", 0, 1e4, "us",
	      "Host cost of a layer."),
    SC_DOUBLE(struct knobs, c0_us, "469", 0, 1e6, "us", "Host cost of a step."),
};
/* clang-format on */

/* ---- presets ---- */

/* A preset for each GPU: its coefficients, whatever the name of the hardware.
 */
#define GPU_VALUES(constant, word, ...)                                        \
	static const char *const constant##_values[] = {"family", word, NULL};
#define GPU_PRESET(constant, word, ...)                                        \
	static const sc_preset constant##_preset = {                           \
	    .size = sizeof(sc_preset),                                         \
	    .name = (word),                                                    \
	    .help = "Coefficients of " word ", whatever the GPU is called.",   \
	    .values = constant##_values};
/* clang-format off */
GPUS(GPU_VALUES)
GPUS(GPU_PRESET)

/* The coefficients that the first version had: an all-reduce is a ring, all
 * requests are sampled by top_p, and a token costs nothing besides weights,
 * attention and messages. */
static const char *const first_values[] = {
    "sampled", "all",
    "ew", "0.8158494028948527",
    "ew_a100", "0.7503942817543359",
    "ew_l40s", "0.7992131836129734",
    "ekv", "0.9341081596255897",
    "ekv_a100", "0.4171144188532631",
    "ekv_l40s", "0.8120202762564422",
    "ec", "0.6778137576572986",
    "ec_a100", "0.3380482645065802",
    "ec_l40s", "0.6778137576572986",
    "ec_fp8", "0.6778137576572986",
    "ec_fp8_l40s", "0.6778137576572986",
    "ep", "0.2918523467709542",
    "ep_a100", "0.2918523467709542",
    "ep_l40s", "0.2918523467709542",
    "ept_us", "0",
    "edt_us", "0",
    "edt_us_a100", "0",
    "edt_us_l40s", "0",
    "kvq", "41.2869316546855",
    "p", "2.7357622362875986",
    "pel", "0",
    "ara_us", "5.847798579340339",
    "arl_us", "5.165118298492943",
    "art_us", "0",
    "arw", "0",
    "arw_a100", "0",
    "arw_l40s", "0",
    "arb", "0.2698264809742962",
    "arb_a100", "0.2698264809742962",
    "arb_l40s", "0.2698264809742962",
    "arh", "0",
    "moel_us", "51.70984168486",
    "emoe", "0.9526218214315549",
    "emc", "0.1929887505876042",
    "emc_a100", "0.1929887505876042",
    "emc_l40s", "0.1929887505876042",
    "emc_fp8", "0.1929887505876042",
    "emc_fp8_l40s", "0.1929887505876042",
    "tile", "0",
    "etile", "0",
    "csq", "0",
    "csv", "148.43141876535688",
    "cl_us", "12.469705639109",
    "c0_us", "738.9009948075214",
    NULL,
};
/* clang-format on */
static const sc_preset first = {
    .size = sizeof first,
    .name = "2026_11",
    .help = "Coefficients of 2026-11, fitted to served runs alone.",
    .values = first_values,
};

#define PRESET_OF(constant, ...) &constant##_preset,
static const sc_preset *const presets[] = {GPUS(PRESET_OF) & first};

/* ---- instances ---- */

static void destroy(void *inst)
{
	struct inst *s = inst;
	free(s->reach);
	free(s->moe);
	free(s);
}

static int32_t create(void **inst, const sc_setup *setup, const void *block,
		      sc_error *err)
{
	struct inst *s = calloc(1, sizeof *s);
	size_t groups = setup->model->n_groups ? setup->model->n_groups : 1;
	if (s) {
		s->reach = calloc(groups, sizeof *s->reach);
		s->moe = calloc(groups, sizeof *s->moe);
	}
	if (!s || !s->reach || !s->moe) {
		if (s)
			destroy(s);
		return sc_fail(err, SC_ENOMEM, "out of memory");
	}
	int32_t rc = fill(s, block, setup, err);
	if (rc == SC_OK)
		*inst = s;
	else
		destroy(s);
	return rc;
}

SC_EVAL_BATCH(step_eval);

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .capabilities = SC_CAP_ORDER_SENSITIVE | SC_CAP_NOT_MONOTONE |
		    SC_CAP_ADDITIVE | SC_CAP_DECODE_NEW,
    .name = "smooth_roofline",
    .version = "5",
    .summary = "Sum of smooth component rooflines, calibrated on vLLM runs",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .n_presets = sizeof presets / sizeof *presets,
    .preset = presets,
    .knob_block = sizeof(struct knobs),
    .create = create,
    .destroy = destroy,
    .eval = step_eval,
    .eval_batch = eval_batch,
    .id = "stepcost.smooth-roofline",
    .author = "The stepcost authors",
    .licence = "MIT",
    .citation = "stepcost, smooth_roofline: calibrated on measured vLLM runs",
};
SC_PLUGIN_DEFINE(plugin);
