/* inst.h -- An instance of latency_interp: what create() makes and eval()
 * reads. It owns its table indexes and grids. */
#ifndef LATENCY_INTERP_INST_H
#define LATENCY_INTERP_INST_H
#include "stepcost/kernel/launch_step.h"
#include "stepcost/kernel/step_tables.h"
#include "stepcost/knob.h"
#include "grid.h"

/* As sc_launch_mixed, and the longer of the two phases. */
#define MIXED_MAX (SC_LAUNCH_MIXED_ONE + 1)
static const char *const mixed_words[] = {SC_LAUNCH_MIXED(SC_WORDS_WORD), "max",
					  NULL};
#define BATCHES(X)                                                             \
	X(BATCH_MEAN, "mean"), X(BATCH_MAX, "max"),                            \
	    X(BATCH_AVERAGE, "average"), X(BATCH_SINGLE, "single")
SC_WORDS(batch, BATCHES);
#define MISMATCHES(X)                                                          \
	X(MISMATCH_LAW, "law"), X(MISMATCH_RESIDUAL, "residual"),              \
	    X(MISMATCH_REFUSE, "refuse")
SC_WORDS(mismatch, MISMATCHES);

struct knobs {
	int64_t mixed, monotone, decode_batch, format_mismatch, pad_batch;
	int64_t lm_head, other_gpu;
	double step_us, layer_us, launch_us, all_reduce_us;
	double activation_passes, logit_passes;
};

/* A GEMM that a step runs: `count` times, with m tokens (or sequences). */
struct gemm {
	double count;
	struct grid at;
	const struct table_index *in;
};
/* Layers with the same attention on a rank. */
struct attention {
	double count, window; /* window 0: none */
	struct grid prefill, decode;
	struct sc_launch_call launch;
};

struct inst {
	struct knobs k;
	struct sc_step_tables tables; /* the setup, with steps as kernels */
	double graph_max, tp, layers;
	uint32_t how; /* SC_SUBSTITUTED: all tables are of another GPU */
	double activation_us_per_token, logit_us_per_sequence; /* one pass */
	double all_reduce_bytes_per_token;
	/* By SC_OP_* - SC_OP_GEMM and format; those with law.op set are open.
	 */
	struct table_index table_index[SC_LAW_OPS][SC_FORMAT_CODES];
	struct table_index *prefill, *decode, *all_reduce;
	uint32_t n_gemms, n_attentions;
	struct gemm *gemms; /* [4 groups] */
	struct gemm head;
	struct attention *attentions; /* [groups] */
	struct grid reduce;
};

/* ---- tables.c ---- */

/* The format that a table index is kept under; 0: none. */
uint32_t stored_as(uint32_t format);
/* Every table index that tables or rates can answer for. */
int32_t open_all(struct inst *s, const sc_setup *setup, sc_error *err);
/* A table index that the model cannot do without: says if it is none of its
 * own. */
int32_t need(struct inst *s, const sc_setup *setup, uint32_t op,
	     uint32_t format, struct table_index **a, sc_error *err);

/* ---- rank.c ---- */

/* The kernels of a step, s->k set and the rest zeroed. */
int32_t fill(struct inst *s, const sc_setup *setup, sc_error *err);

/* ---- attention.c ---- */

/* The whole prompt that the law finds as long as n tokens on cached ones. */
double whole_prompt(const struct sc_law *l, const double shape[3], double n,
		    double cached);
/* Prompt chunks as a batch of equal whole prompts. */
struct prompts {
	double batch, tokens;
};
struct prompts prompts_of(const struct sc_law *l, const struct attention *a,
			  const sc_step *st);
struct answer prompt_attention(const struct inst *s, const struct attention *a,
			       const sc_step *st);
struct answer decode_attention(const struct inst *s, const struct attention *a,
			       const sc_step *st);
/* Sets a->launch, once a->prefill has its shape.  SC_ENOMEM: *err. */
int32_t set_launch(struct inst *s, const sc_setup *setup, struct attention *a,
		   sc_error *err);
/* Takes what both phases take alone, and makes it what they take together. */
void attention_together(const struct attention *a, const sc_step *st,
			struct answer is[2]);

/* ---- kernel.c ---- */

int32_t kernel(void *inst, const sc_kernel *k, sc_kernel_result *out,
	       sc_error *err);
#endif
