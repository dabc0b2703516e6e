/* sim/batch.h -- a step that was scheduled: whose tokens it computes, and what
 * came of it when its results were processed.  [one thread] */
#ifndef SC_SIM_BATCH_H
#define SC_SIM_BATCH_H
#include <stdint.h>

/* What a request does in a step. */
struct member {
	uint32_t sequence; /* NO_SEQUENCE: it has ended meanwhile             */
	uint32_t context; /* tokens before, as the scheduler counts them      */
	uint32_t new_tokens;  /* drafts included                              */
	uint16_t is_prefill;  /* it is admitted, or was in its prompt         */
	uint16_t makes_token; /* when the step is processed                   */
	uint16_t drafts;
	uint16_t is_padded; /* its drafts only fill the step                  */
	/* known once the step is complete */
	uint32_t accepted; /* of the drafts                                   */
	uint32_t emits;    /* tokens that appear when the step is processed   */
};

struct batch {
	int64_t end_ns; /* on the GPU; of an empty one when it was scheduled */
	int is_empty;
	int64_t response_ns; /* from its end to the client                   */
	/* in the order of the step, if the policy needs it: [max_num_seqs];
	 * behind n_quick that are not named and decode one token each        */
	uint32_t n_quick, n_members;
	uint32_t n_over; /* of the n_quick: a step before has the last token  */
	struct member *member;
	uint32_t n_kept; /* pages of who is over, until it is processed      */
	/* whose first token, whose last token it makes */
	uint32_t n_first, n_last;
	uint32_t *first, *last; /* [max_num_seqs] each */
	/* requests whose token before this one is gap_ns old; and the gaps of
	 * those who had to do without for a while */
	int64_t gap_ns;
	uint32_t n_on_time, n_late;
	int64_t *late_gap_ns; /* [max_num_seqs] */
};
/* 0, or -1: out of memory; batch_free() in either case. */
int batch_make(struct batch *b, uint32_t max_num_seqs);
void batch_free(struct batch *b);
/* Its results begin to be processed; so many of its requests are on time
 * without being counted.  *processed_ns: when those of the batch before it
 * were. */
void batch_begin_results(struct batch *b, uint32_t n_on_time, int64_t now,
			 int64_t *processed_ns);
#endif
