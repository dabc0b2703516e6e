/* sim/policy/sglang/sglang_queue.h -- the order in which policy sglang looks at
 * waiting requests, and who gives its seat to one that is more important.
 *
 * The queue itself is sorted, and stays so.  [one thread] */
#pragma once
#include "sim/policy/sglang/sglang_state.h"

/* Sorts the waiting requests as the engine's keys ask. */
void sglang_sort_waiting(struct sglang *s);
/* Retracts running requests that are much less important than i, so that it
 * finds a seat; they are in s->order, and do not wait yet.  left: tokens that
 * are not reserved.  Returns 0 if there are none, or too few tokens come
 * free. */
int sglang_preempt_for(struct sglang *s, uint32_t i, double left);
