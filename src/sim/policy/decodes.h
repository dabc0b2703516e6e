/* sim/policy/decodes.h -- requests that decode one token in every step until a
 * result ends them, kept as columns: a step only adds 1 per request.
 *
 * For a policy that is one batch ahead (members.h), has every decode in every
 * step, and never takes blocks away from a request.  When a request joins, the
 * number of the step with its last token is known.  Once that step is formed,
 * the request is in no other; it ends when the step is processed.  While a
 * request is here, its struct progress does not change.  Integers only.
 * [one thread] */
#pragma once
#include "sim/scheduler.h"

/* Columns of [max_num_seqs], in order of arrival. */
struct decodes {
	uint32_t n;
	uint32_t *ctx; /* tokens computed */
	uint64_t *id;  /* rows */
	uint32_t *sequence;
	uint32_t *due;    /* the number of tokens at which its blocks change */
	uint32_t *last;   /* number of the step with its last token */
	uint32_t soonest; /* the minimum of last[] */
	uint32_t formed, processed; /* numbers of the last steps, from 1 */
	/* [max_num_seqs] requests that have their last token in flight, in the
	 * order of their steps, and the numbers of these. */
	uint32_t n_ending, *ending, *ending_step;
};

/* Its columns are arrays of the scheduler. */
void decodes_init(struct decodes *d, struct scheduler *s);
/* Puts all requests into the step, as members without names. */
void decodes_run(struct decodes *d, struct scheduler *s, struct batch *b);
/* To be called when the step has been priced, after members_commit().  Requests
 * in it have one more token; the named members join, because their prompts are
 * complete.  Those that have their last token in the step leave the columns. */
void decodes_commit(struct decodes *d, const struct scheduler *s,
		    const struct batch *b);
/* To be called when the batch is processed.  Appends the members without names
 * that now have their last token to b->last, and forgets every request that has
 * its last token in the batch. */
void decodes_process(struct decodes *d, const struct scheduler *s,
		     struct batch *b);
/* Lists the requests in the chosen step, for policy.list().  Returns how
 * many. */
uint32_t decodes_list(const struct decodes *d, const struct batch *b,
		      struct scheduled *out);
