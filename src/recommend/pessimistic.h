/* recommend/pessimistic.h -- whether the winner of an arm still wins if the
 * cost model errs by as much as it did elsewhere, or as it says itself: the
 * pessimistic answers of the rows that were searched in full.  [main] */
#pragma once
#include "recommend/state.h"

/* Lists the winner and the best searched rows of other shapes, as many as
 * PESSIMISTIC_SHAPES; nothing if the arm has no winner, or that one no
 * interval.  After judge(). */
void pessimistic_list(const struct recommend *r, size_t arm);
/* Returns 1 if the winner was searched at the pessimistic end of its
 * intervals. */
int pessimistic_is_known(const struct recommend_arm *a);
/* Returns the index in a->pessimistic of the shape that is better there than
 * the winner by more than the precision, else 0. */
size_t pessimistic_rival(const struct recommend *r, size_t arm);
/* Requests/s, or output tokens/s of a closed loop; 0: the bounds are not met.
 */
double pessimistic_rate(const struct recommend *r, size_t arm, size_t k);
