/* sim/policy/decodes.h -- requests that decode one token in every step until a
 * result says that they are over, kept as columns: a step does nothing per
 * request but add 1.
 *
 * For a policy that is one batch ahead (members.h), has every decode in every
 * step, and never takes blocks away from a request.  The step that makes a
 * request's last token is known by its number when the request joins.  Until
 * the result of this step is processed the request is in the next step, too:
 * it costs a token there, and nothing comes of it.  A request's struct progress
 * stands still while the request is here.  Integers only.  [one thread] */
#ifndef SC_SIM_POLICY_DECODES_H
#define SC_SIM_POLICY_DECODES_H
#include "sim/scheduler.h"

/* Columns of [max_num_seqs], in order of admission. */
struct decodes {
	uint32_t n;
	uint32_t *ctx; /* tokens computed                           */
	uint64_t *id;  /* rows                                      */
	uint32_t *sequence;
	uint32_t *due;    /* with how many tokens its blocks change    */
	uint32_t *last;   /* number of the step of its last token      */
	uint32_t soonest; /* the least of last[]                       */
	uint32_t formed, processed; /* numbers, from 1, of the last steps    */
};

/* Returns 0, or -1: out of memory; decodes_free() in either case. */
int decodes_init(struct decodes *d, const struct scheduler *s);
void decodes_free(struct decodes *d);
/* Puts all of them into the step, as its members without names. */
void decodes_run(struct decodes *d, struct scheduler *s, struct batch *b);
/* The step has been priced: those in it have one more token, and the named
 * members, whose prompts are complete, join.  members_commit() comes before. */
void decodes_commit(struct decodes *d, const struct scheduler *s,
		    const struct batch *b);
/* The batch is processed: those without names that have their last token now
 * are put behind the n_last of the batch. */
void decodes_process(struct decodes *d, const struct scheduler *s,
		     struct batch *b);
/* Takes away everybody whose last token was in the batch processed last. */
void decodes_leave(struct decodes *d);
/* The same of the step that was chosen, as policy.list() tells of it.  Returns
 * how many. */
uint32_t decodes_list(const struct decodes *d, const struct batch *b,
		      struct scheduled *out);
#endif
