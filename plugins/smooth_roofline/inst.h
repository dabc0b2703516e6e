/* inst.h -- An instance of smooth_roofline: the coefficients as knobs, and the
 * sums that create() makes of them for a model on a GPU. */
#ifndef SMOOTH_ROOFLINE_INST_H
#define SMOOTH_ROOFLINE_INST_H
#include "stepcost/knob.h"
#include "policy.h"

/* The GPU that coefficients and rates are taken from, or auto. */
#define GPU_NUMBER(constant, ...) constant,
#define GPU_WORD(constant, word, ...) word,
enum gpu_number { GPUS(GPU_NUMBER) GPU_AUTO };
static const char *const family_words[] = {GPUS(GPU_WORD) "auto", NULL};
#define FIGURES(X)                                                             \
	X(FIGURES_AUTO, "auto"), X(FIGURES_FAMILY, "family"),                  \
	    X(FIGURES_HARDWARE, "hardware")
SC_WORDS(figures, FIGURES);
#define SCOUTS(X) X(SCOUT_FP8, "fp8"), X(SCOUT_CONFIG, "config")
SC_WORDS(scout, SCOUTS);
/* The requests that cost csv. */
#define SAMPLED(X) X(SAMPLED_TOP_P, "top_p"), X(SAMPLED_ALL, "all")
SC_WORDS(sampled, SAMPLED);

/* Shares are of a peak rate; ec_fp8 and emc_fp8 are 0 for a family without FP8.
 */
struct coefficients {
	double ew, ekv, ec, ec_fp8, ep, arw, arb, emc, emc_fp8;
	double edt_us;
};

struct knobs {
	int64_t family, figures, scout_experts, sampled, allow_extrapolation,
	    tile;
	struct coefficients of[N_FAMILIES];
	double kvq, p, pel, ept_us, ara_us, arl_us, art_us, arh;
	double moel_us, emoe, etile, csv, csq, cl_us, c0_us;
};

/* Layers with one attention window: seconds per unit of context. */
struct reach {
	double window;                  /* tokens; 0: the whole context */
	double decode_s;                /* per token of K + kvq nd */
	double prefill_s, prefill_kv_s; /* per token² of A, token of Kp */
};

enum { ONE_STAGE, TWO_STAGES, RING, N_ALL_REDUCES };

/* The sums over all layers, so that eval() only multiplies; times in seconds.
 */
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
		double two_stages_tokens,
		    ring_tokens; /* least tokens of each kind */
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
	double tile_rows;                   /* of a GEMM */
	double empty_rows;                  /* most empty rows of each expert */
	/* The GEMMs of the last step: most steps have as many tokens and
	 * sequences as the one before, and powers are slow. */
	struct gemms {
		double tokens, sequences;
		double s, bytes_s, flop_s; /* in all, of bytes, of FLOPs */
	} last;
};

/* The rates of a GPU, and the coefficients of its family as knobs have them. */
struct rates {
	double peak, bandwidth, link, fp8_gain, tp;
	struct coefficients of;
	int has_links; /* between all ranks, not through the host */
};

/* step.c: the eval() of the plugin. */
int32_t step_eval(void *inst, const sc_step *st, sc_result *out, sc_error *err);
/* rates.c: fills in the rates; SC_OK, or sc_fail() with the reason. */
int32_t choose_rates(struct rates *r, const struct knobs *k,
		     const sc_setup *setup, sc_error *err);
/* components.c: fills in the sums of all layers.  s is zero, except reach and
 * moe: they have room for every layer group.  SC_OK, or sc_fail(). */
int32_t fill(struct inst *s, const struct knobs *k, const sc_setup *setup,
	     sc_error *err);
#endif
