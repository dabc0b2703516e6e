/* oracle/pricer.h -- arms that price batches, each in a child process: a plugin
 * that crashes or hangs ends its arm alone.  A batch is written into memory
 * that both share.  [main] */
#pragma once
#include "arm/process.h"
#include "oracle/question.h"

enum { PRICER_ARMS = 16, PRICER_TEXT = 1024 };

/* Memory that an arm shares with its parent. */
struct pricer_slot {
	struct arm_slot begin;
	struct problem refusal; /* of this batch; EXIT_DONE: none */
	/* What it says of itself: */
	char version[40], model[100], hardware[100];
	char tables[PRICER_TEXT]; /* names of sets, comma between */
	int tp, ep, pp, dp;
	struct question question;
	struct oracle_price price;
	struct question_columns columns;
};
struct pricer {
	struct children children;
	struct child child[PRICER_ARMS];
	struct arm_process arm[PRICER_ARMS];
	size_t n;
};
/* Starts the arms and waits until each can price.  Returns 0, or -1 with *p
 * filled in.  The caller calls pricer_close() in either case; *r must not be
 * moved. */
int pricer_open(struct pricer *r, const struct config *c, double answer_limit_s,
		double memory_limit_gib, struct problem *p);
static inline struct pricer_slot *pricer_slot(const struct pricer *r,
					      size_t arm)
{
	return (struct pricer_slot *)r->arm[arm].slot;
}
/* Columns for the next batch of an arm. */
static inline struct question_columns *pricer_columns(struct pricer *r,
						      size_t arm)
{
	return &pricer_slot(r, arm)->columns;
}
/* Prices the batch *q, with its columns in those of the arm.
 * Returns the price, valid until the next call; NULL with *p filled in: the
 * batch was refused (EXIT_USAGE), the arm is dead (EXIT_PLUGIN), or a signal
 * came (128 + its number). */
const struct oracle_price *pricer_price(struct pricer *r, size_t arm,
					const struct question *q,
					struct problem *p);
void pricer_close(struct pricer *r);
