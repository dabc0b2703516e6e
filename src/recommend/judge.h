/* recommend/judge.h -- what the full searches of the shortlist say: the figure
 * of each configuration under each arm, and the winner of each arm.  [main] */
#ifndef SC_RECOMMEND_JUDGE_H
#define SC_RECOMMEND_JUDGE_H
#include "recommend/state.h"

/* The full search of the shortlist's configuration k under an arm. */
const struct recommend_found *recommend_found(const struct recommend *r,
					      size_t arm, size_t k);
/* Returns 1 if it serves the rate that was asked for, within the precision. */
int recommend_serves(const struct recommend *r,
		     const struct recommend_found *f);
/* Returns the figure to be largest: rate, rate per USD or per GPU, or output
 * tokens of a closed loop; with a rate to serve the inverse of what that takes.
 * 0: the bounds are not met, or the rate is not served. */
double recommend_score(const struct recommend *r,
		       const struct recommend_found *f);
/* Fills in best, score, votes and regret from the searches.  The winner of a
 * race gives way to another configuration of the shortlist if its own search
 * finds that it does not meet the bounds, or does not serve the rate. */
void judge(struct recommend *r);
#endif
