/* record/kv_split.h -- splits the attention difference of two cost models in a
 * step by the KV length of each request: both models price the requests of one
 * bin alone.
 *
 * Bin i holds lengths of 2^i to 2^(i+1) − 1.  Not every step is split by
 * asking, because a KV length has the same effect in the next step. [one
 * thread]; no printing. */
#ifndef SC_RECORD_KV_SPLIT_H
#define SC_RECORD_KV_SPLIT_H
#include <stdint.h>
#include "base/problem.h"
#include "cost/cost.h"

enum { REGIME_BINS = 24 };
/* Returns floor(log2(v)); 0 below 1, at most REGIME_BINS − 1. */
uint32_t regime_bin(double v);

/* Zeroed at first, except n_steps. */
struct kv_split {
	uint64_t n_steps; /* approximately how many there will be */
	uint64_t n_seen;
	double us_per_token[REGIME_BINS]; /* b − a, in the last answer */
	uint32_t asked;                   /* bit i: bin i was asked */
	uint32_t *column;
	uint32_t room; /* sequences */
};
/* Computes share[bin] for a step as models a and b price it.  The shares sum to
 * 1, or are all 0 if the step has no requests.  Returns 0, or -1 with *p filled
 * in. */
int kv_split_step(struct kv_split *k, const sc_step *s, struct cost *a,
		  struct cost *b, double share[REGIME_BINS], struct problem *p);
void kv_split_free(struct kv_split *k);
#endif
