/* inst.h -- An instance of smooth_roofline: the coefficients as knobs, and a
 * model on a GPU as create() makes it of them. */
#ifndef SMOOTH_ROOFLINE_INST_H
#define SMOOTH_ROOFLINE_INST_H
#include "stepcost/knob.h"

/* Whose coefficients: those of a GPU family, or auto. */
#define FAMILIES(X)                                                            \
	X(H100, "h100"), X(H200, "h200"), X(A100, "a100-80"), X(L40S, "l40s"), \
	    X(FAMILY_AUTO, "auto")
SC_WORDS(family, FAMILIES);
enum { N_FAMILIES = FAMILY_AUTO };
#define FIGURES(X)                                                             \
	X(FIGURES_AUTO, "auto"), X(FIGURES_FAMILY, "family"),                  \
	    X(FIGURES_HARDWARE, "hardware")
SC_WORDS(figures, FIGURES);
#define SCOUTS(X) X(SCOUT_FP8, "fp8"), X(SCOUT_CONFIG, "config")
SC_WORDS(scout, SCOUTS);
/* Whose requests cost csv. */
#define SAMPLED(X) X(SAMPLED_TOP_P, "top_p"), X(SAMPLED_ALL, "all")
SC_WORDS(sampled, SAMPLED);

struct knobs {
	int64_t family, figures, scout_experts, sampled, allow_extrapolation,
	    tile;
	double ew, ew_a100, ew_l40s, ekv, ekv_a100, ekv_l40s;
	double edt_us, edt_us_a100, edt_us_l40s;
	double ec, ec_a100, ec_l40s, ec_fp8, ec_fp8_l40s;
	double ep, ep_a100, ep_l40s, kvq, p, pel, ept_us;
	double ara_us, arl_us, art_us, arw, arw_a100, arw_l40s;
	double arb, arb_a100, arb_l40s, arh;
	double moel_us, emoe, emc, emc_a100, emc_l40s, emc_fp8, emc_fp8_l40s;
	double etile, csv, csq, cl_us, c0_us;
};

/* Layers whose attention sees as far back: seconds per unit of context. */
struct reach {
	double window;                  /* tokens, 0: all of it */
	double decode_s;                /* per token of K + kvq nd */
	double prefill_s, prefill_kv_s; /* per token² of A, token of Kp */
};

enum { ONE_STAGE, TWO_STAGES, RING, N_ALL_REDUCES };

/* A step priced with multiplications only; all times in seconds. */
struct inst {
	double p, kvq, graph_max;
	double gemm_bytes_s, gemm_flop_s; /* the latter per token */
	double moe_fixed_s;
	double elementwise_s;             /* per token */
	double prefill_s;                 /* of a step with prompts */
	double decode_s;                  /* of a step with decodes */
	double head_bytes_s, head_flop_s; /* the latter per emitting sequence */
	double sample_s;                  /* per emitting sequence */
	double sampling_s;                /* of a step with any */
	double host_s;
	struct all_reduce {
		double two_stages_tokens, ring_tokens; /* from here on */
		double fixed_s[N_ALL_REDUCES], token_s[N_ALL_REDUCES];
	} all_reduce;
	uint32_t n_reach, n_moe;
	int64_t allow_extrapolation;
	struct reach *reach; /* [n_reach] */
	struct moe {
		double experts, topk, miss; /* miss = 1 - topk / experts */
		double bytes_s, flop_s;     /* of one expert in all its layers;
			    flop_s of a row */
	} * moe;                            /* [n_moe] */
	double tile_rows, empty_rows; /* of a GEMM; at most, of each expert */
};

/* Rates that the shapes are divided by, from family, hardware and knobs. */
struct rates {
	double peak, bandwidth, link, fp8_gain, tp;
	double ew, ekv, edt_us, ec, ec_fp8, ep, emc, emc_fp8, arw, arb;
	int nvlink; /* between all ranks, not through the host */
};

/* rates.c: SC_OK, or why there are none. */
int32_t choose_rates(struct rates *r, const struct knobs *k,
		     const sc_setup *setup, sc_error *err);
/* components.c: the sums of all layers.  s zeroed, but for reach and moe, which
 * have room for every layer group. */
int32_t fill(struct inst *s, const struct knobs *k, const sc_setup *setup,
	     sc_error *err);
#endif
