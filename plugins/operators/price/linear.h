/* price/linear.h -- The price of the kernels of linear attention and of
 * state-space layers, beside their GEMMs. */
#ifndef OPERATORS_PRICE_LINEAR_H
#define OPERATORS_PRICE_LINEAR_H
#include "price/mixer.h"

/* The convolution, then the update of the state. */
enum { LINEAR_CONV, LINEAR_STATE, N_LINEAR_KERNELS };
enum { LINEAR_BATCHES = 8 }; /* known at once */
struct linear_call {
	double count;
	struct sc_linear what;
	struct mixer kernel[SC_N_LINEAR_OPS];
	/* Mamba-2's step, which no table has: its start, and a sequence's. */
	double step_us, step_us_per_seq;
	struct linear_known {
		double sequences, tokens; /* 0: none yet */
		struct answer is[N_LINEAR_KERNELS];
	} known[LINEAR_BATCHES]; /* each at its number of sequences */
};

/* number_bytes: of a number of the state. */
struct linear_call linear_for(struct inst *s, const struct sc_linear *what,
			      double number_bytes);
/* Prices one layer: of decodes that verify `tokens` tokens altogether, or of
 * `chunks` of prompts with this mean length. */
void linear_decode_us(struct linear_call *l, double decodes, double tokens,
		      struct answer is[N_LINEAR_KERNELS]);
void linear_prefill_us(const struct linear_call *l, double chunks, double mean,
		       struct answer is[N_LINEAR_KERNELS]);
/* Mamba-2's step by its formula. */
struct answer linear_mamba_step_us(const struct linear_call *l,
				   double sequences);
/* The table of a layer's SC_LINEAR_*; SC_N_MIXERS: none has its kernels. */
uint32_t linear_table(uint32_t linear_kind);
#endif
