/* record/kv_split.h -- attention's difference between two models in a step, by
 * the KV length of each of its requests: by what both answer for the requests
 * of one bin alone.
 *
 * Bin i holds lengths of 2^i to 2^(i+1) − 1.  Not every step is asked in part:
 * what a request's KV length does is the same in the next step.
 * [one thread]; no printing. */
#ifndef SC_RECORD_KV_SPLIT_H
#define SC_RECORD_KV_SPLIT_H
#include <stdint.h>
#include "base/problem.h"
#include "cost/cost.h"

enum { REGIME_BINS = 24 };
/* floor(log2(v)), 0 below 1, REGIME_BINS − 1 at most. */
uint32_t regime_bin(double v);

/* Zeroed at first, but for n_steps. */
struct kv_split {
	uint64_t n_steps; /* about how many there will be                    */
	uint64_t n_seen;
	double us_per_token[REGIME_BINS]; /* b − a, as last asked            */
	uint32_t asked; /* bit i: bin i has been                           */
	uint32_t *column;
	uint32_t room; /* sequences                                          */
};
/* share[bin], which sum to 1 (or are 0: the step has no requests).  The step as
 * models a and b price it.  0, or -1 with *p. */
int kv_split_step(struct kv_split *k, const sc_step *s, struct cost *a,
		  struct cost *b, double share[REGIME_BINS], struct problem *p);
void kv_split_free(struct kv_split *k);
#endif
