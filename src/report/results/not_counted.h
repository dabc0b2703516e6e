/* report/results/not_counted.h -- the requests that figures of a result leave
 * out: those that got no answer, and the warm-up.  [one thread] */
#pragma once
#include "report/document.h"
#include "study/results.h"

/* Says how many requests the arm that served fewest did not serve, and why.
 * Nothing is said if each arm served all. */
void not_counted_answer(const struct results *r, struct document *d);
/* Says which requests were cut off as the warm-up, if one was asked for. */
void not_counted_warm_up(const struct results *r, struct document *d);
