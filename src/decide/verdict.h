/* decide/verdict.h -- what several cost models say one should buy, in sentences
 * that a reader can act on.
 *
 * A candidate is a deployment; an arm chooses the one that costs least when
 * bought for the lower end of its interval, because that keeps the promise.
 * The input is a plain table, so each case can be tested by hand. [any thread]
 */
#pragma once
#include "base/names.h"
#include "base/problem.h"
#include "decide/choice.h"

enum verdict {
	VERDICT_ALIKE,     /* the same candidate and number of GPUs           */
	VERDICT_COUNT,     /* the same candidate, another number of GPUs      */
	VERDICT_SHAPE,     /* another candidate                               */
	VERDICT_UNDECIDED, /* another one, at prices that are undecided       */
	VERDICT_ONE_ARM,   /* nothing to compare with                         */
	VERDICT_NONE,      /* no rate meets the bounds                        */
	VERDICT_FAILED,    /* no arm gave an answer                           */
};
extern const char *const verdict_name[];

struct decision {
	enum verdict verdict;
	struct names sentences;
	struct verdict_choice *choice; /* [n_arms]                            */
	int is_priced; /* candidates are judged by money, not by GPUs         */
};

/* Returns 0, or -1 with *p: out of memory.  decision_free() in either case. */
int decide(struct decision *d, const struct verdict_of *of, struct problem *p);
void decision_free(struct decision *d);
