/* recommend/judge.h -- what the full searches of the shortlist say: the figure
 * of each configuration under each arm, and the winner of each arm.  [main] */
#pragma once
#include "recommend/state.h"

/* The full search of the shortlist's configuration k under an arm. */
const struct recommend_found *recommend_found(const struct recommend *r,
					      size_t arm, size_t k);
/* Returns 1 if full searches look for the least fleet that carries the rate
 * that was asked for; 0: for the highest rate. */
int recommend_asks_fleet(const struct recommend *r);
/* Returns 1 if two points that the arm surveyed are fleets of one unit: they
 * differ in their numbers of replicas alone, and those are in the ratio of
 * their GPUs. */
int recommend_same_unit(const struct recommend *r,
			const struct recommend_arm *of, size_t a, size_t b);
/* Returns 1 if it serves the rate that was asked for, within the precision. */
int recommend_serves(const struct recommend *r,
		     const struct recommend_found *f);
/* Returns the figure to be largest: rate, rate per USD or per GPU, or output
 * tokens of a closed loop; with a rate to serve the inverse of what that takes.
 * 0: the bounds are not met, or the rate is not served; NaN: not searched. */
double recommend_score(const struct recommend *r,
		       const struct recommend_found *f);
/* Fills in best, score, votes and regret from the searches.  The winner is the
 * row of the greatest score; of rows that are alike (3 %) the one that is
 * better if its arm errs by as much as elsewhere, then the cheaper, then the
 * one with fewer GPUs, then the earlier. */
void judge(struct recommend *r);
