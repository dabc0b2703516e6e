/* policy.h -- The data of smooth_roofline: coefficients of GPU families, GPUs,
 * models that are served in another format, constants.  Each row has its
 * source.
 *
 * A new GPU family is a row of FAMILIES, and a row of GPUS for each of its
 * GPUs; its knobs follow from the row. */
#ifndef SMOOTH_ROOFLINE_POLICY_H
#define SMOOTH_ROOFLINE_POLICY_H
#include <stdint.h>

/* Lines are wider than 80 columns, so that each row is one line. */
/* clang-format off */

/* The coefficients that differ between families: the defaults of the knobs.  The
 * knob of a coefficient is its name and the suffix of the family: ew, ew_a100. */
#define FAMILIES(F) \
	/* family, suffix, GPUs,          ew,         ekv,        edt_us,    ec,         ep,         arw,        arb,        emc,        source */ \
	F(HOPPER, ,      "H100 and H200", "0.828837", "0.956635", "10.4477", "0.850164", "0.492175", "0.84566",  "0.73772",  "0.774365", BY_REFIT) \
	F(AMPERE, _a100, "A100",          "0.811238", "0.368648", "44.7057", "0.875683", "0.533114", "0.389565", "0.461639", "0.665719", BY_REFIT) \
	F(ADA,    _l40s, "L40S",          "0.828435", "0.866251", "9.49465", "0.797848", "0.459111", "0.703103", "0.588282", "0.621104", BY_REFIT)

/* The coefficients of families that multiply FP8; others multiply FP8 weights in
 * bf16. */
#define FP8_FAMILIES(F) \
	/* family, suffix, GPUs,          ec_fp8,     emc_fp8,    source */ \
	F(HOPPER, ,      "H100 and H200", "0.621599", "0.889791", BY_REFIT) \
	F(ADA,    _l40s, "L40S",          "0.567221", "0.605153", BY_REFIT)

#define BY_REFIT "fitted: tools/measured/refit.py fit; errors: doc/accuracy.md"

/* The GPUs of each family, with the rates that the coefficients were fitted
 * against: bf16 FLOP/s, bytes/s of memory, bytes/s of a link in one direction.
 * Hardware is one of these GPUs if it has the same rates, or else if its name
 * begins as theirs.  links: 1: every two ranks have a link; 0: messages cross
 * the host. */
#define GPUS(G) \
	/* GPU,  word,      name begins with, family, peak,   bandwidth, link, links, source */ \
	G(H100, "h100",    "h100-sxm",    HOPPER, 989.5e12, 3.35e12,  450e9, 1, "data sheet of H100 SXM, dense") \
	G(H200, "h200",    "h200",        HOPPER, 989.5e12, 4.8e12,   450e9, 1, "data sheet of H200 SXM, dense") \
	G(A100, "a100-80", "a100-80-sxm", AMPERE, 312e12,   2.039e12, 300e9, 1, "data sheet of A100 SXM 80 GB, dense") \
	G(L40S, "l40s",    "l40s",        ADA,    362e12,   0.864e12, 32e9,  0, "data sheet of L40S, dense; PCIe 4 x16")
/* clang-format on */

/* Mixtures of experts that were measured with FP8 experts and a bf16 rest,
 * though their own config.json says bf16. */
#define SERVED_IN_FP8(S)                                                       \
	/* experts, experts a token, shared experts, source */                 \
	S(16, 1, 1,                                                            \
	  "Llama-4-Scout as it was measured: its FP8 checkpoint; two H100 "    \
	  "cannot hold it in bf16")

#define NUMBERS(N)                                                             \
	/* name, value, source */                                              \
	N(same_rate, .01, "chosen: data sheets of one GPU differ by rounding") \
	N(fp8_gain, 2,                                                         \
	  "data sheets: FP8 multiplies at twice the rate of bf16")             \
	N(least_window_tokens, 4096,                                           \
	  "chosen: the served contexts fit into larger windows")               \
	N(most_untiled_rows, 512,                                              \
	  "doc/residuals.md: whole tiles make steps of fewer rows worse")      \
	N(custom_bytes, 0x1p23,                                                \
	  "vLLM's custom all-reduce: messages up to 8 MiB")                    \
	N(custom_ranks, 8, "vLLM's custom all-reduce: 2, 4, 6 or 8 ranks")     \
	N(one_stage_bytes_4, 0x1p19,                                           \
	  "vLLM's custom all-reduce: one stage below 512 KiB with 4 ranks")    \
	N(one_stage_bytes_more, 0x1p18,                                        \
	  "vLLM's custom all-reduce: one stage below 256 KiB with 6 or 8 "     \
	  "ranks")

#define FAMILY_NUMBER(family, ...) family,
enum family { FAMILIES(FAMILY_NUMBER) N_FAMILIES };

#define NUMBER_MEMBER(name, value, source) double name;
#define NUMBER_VALUE(name, value, source) .name = (value),
static const struct {
	NUMBERS(NUMBER_MEMBER)
} number = {NUMBERS(NUMBER_VALUE)};
#endif
