/* decide/verdict.h -- what several cost models say one should buy, in sentences
 * that a reader can act on.
 *
 * A way to serve is one choice; an arm chooses the way that costs least when
 * bought for the lower end of its interval, because that keeps the promise.
 * The input is a plain table, so each case can be tested by hand. [any thread]
 */
#pragma once
#include "base/names.h"
#include "base/problem.h"
#include "decide/choice.h"

enum verdict {
	VERDICT_ALIKE,     /* the same way and the same number of GPUs        */
	VERDICT_COUNT,     /* the same way, another number                    */
	VERDICT_SHAPE,     /* another way                                     */
	VERDICT_UNDECIDED, /* another way, at prices that cannot be told apart*/
	VERDICT_ONE_ARM,   /* nothing to compare with                         */
	VERDICT_NONE,      /* no rate meets the bounds                        */
	VERDICT_FAILED,    /* no arm gave an answer                           */
};
extern const char *const verdict_name[];

struct decision {
	enum verdict verdict;
	struct names sentences;
	struct verdict_choice *choice; /* [n_arms]                            */
	int is_priced; /* ways are judged by money, not by GPUs               */
};

/* Returns 0, or -1 with *p: out of memory.  decision_free() in either case. */
int decide(struct decision *d, const struct verdict_of *of, struct problem *p);
void decision_free(struct decision *d);
