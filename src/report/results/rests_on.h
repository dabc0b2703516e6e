/* report/results/rests_on.h -- one sentence for all arms of an answer: how near
 * the scored runs are that it rests on. */
#pragma once
#include "report/document.h"
#include "trust/trusted.h"

struct rests_on {
	const char *name;
	const struct trusted *trusted;
};
/* Says "Support, and the mean error of the nearest scored runs: measured:
 * operators (50 runs, 6.9 %); extrapolated to fp8, tp 2: mfu_interp (3 runs, 21
 * %).".  A second sentence names arms with an interval that is narrower than
 * that of an arm with runs more like this one. */
void rests_on_say(const struct rests_on *item, size_t n, struct document *d);
