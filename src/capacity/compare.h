/* capacity/compare.h -- the capacities of two arms against each other, on
 * the replications that both have.
 *
 * Both searches simulated the same requests under the same number, so
 * chance moves both rates together, and the ratio is known better than either
 * rate (common random numbers; Law, chapter 11.2).  Plain
 * arithmetic.  [any thread] */
#pragma once
#include "capacity/capacity.h"

enum comparison_verdict {
	COMPARISON_ALIKE,  /* within the margin, even if 1 is excluded       */
	COMPARISON_DIFFER, /* the interval excludes 1                        */
	COMPARISON_UNDECIDED,
};
extern const char *const comparison_verdict_name[];

struct comparison {
	enum comparison_verdict verdict;
	double ratio, low, high; /* rate of a over rate of b                 */
	uint32_t common; /* replications that both have                      */
};
/* Both searches must have found a rate.  margin: how far from 1 a ratio may be
 * and still be alike.  confidence: of the interval. */
struct comparison capacity_compare(const struct capacity_search *a,
				   const struct capacity_search *b,
				   const struct bounds *bounds,
				   double confidence, double margin);
