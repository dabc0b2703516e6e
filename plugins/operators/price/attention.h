/* price/attention.h -- The price of kernels along (batch, length): attention,
 * and the kernels of latent attention. */
#ifndef OPERATORS_PRICE_ATTENTION_H
#define OPERATORS_PRICE_ATTENTION_H
#include "choose/choose.h"
#include "price/answer.h"

/* Attention or an MLA kernel of one shape: a law along (batch, length).  It
 * remembers the places of batches in the grids, each at its number modulo
 * BATCHES, because successive steps have the same batch or one sequence more or
 * less. */
enum { BATCHES = 8 };
struct stand {
	double batch; /* 0: none yet */
	struct sc_blend_rows rows;
	double residual, factor; /* the last one, of any batch; its exp() */
};
struct lengths {
	struct kernels by;
	double key[SC_OPLAW_KEYS];
	struct sc_blend blend;
	/* Least times of softmax attention in a step: reading a cached token,
	 * computing a pair, both; 0: it is not that. */
	double cached_us, pair_us, decode_us;
	struct stand at[BATCHES];
};

/* op: SC_OPLAW_DECODE or SC_OPLAW_PREFILL; dtype: what attention computes in,
 * "bf16" or "fp8"; key: heads, kv heads, head size, window.  Where no set has
 * rows of attention in FP8, those of 16 bit answer. */
struct lengths attention_for(struct inst *s, uint32_t op, const char *dtype,
			     const char *kv, const double key[4]);
/* Returns the least time of work that takes `pairs` pairs of a query and a key,
 * reads `cached` tokens of the KV cache, and projects `tokens` tokens. */
double lengths_least_us(const struct lengths *l, double pairs, double cached,
			double tokens);
struct answer lengths_us(struct lengths *l, struct sc_logged batch,
			 struct sc_logged len);
/* The same where the law's time there is known. */
struct answer lengths_beside(struct lengths *l, double law_us,
			     struct sc_logged batch, struct sc_logged len);
#endif
