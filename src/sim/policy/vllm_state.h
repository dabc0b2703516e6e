/* sim/policy/vllm_state.h -- what policy vllm keeps of a replica.
 *
 * Of a request (struct progress): `known` tokens are its prompt and the output
 * that has been processed; `computed` of them were given to the GPU;
 * `placeholders` stand for output of batches in flight (async_scheduling only);
 * `in_flight` tokens are scheduled and not processed.  Of drafts in flight the
 * scheduler supposes that all are accepted; `coming` is what really comes. */
#ifndef SC_SIM_POLICY_VLLM_STATE_H
#define SC_SIM_POLICY_VLLM_STATE_H
#include "sim/scheduler.h"

/* Running requests that decode one token in every step (steady.h). */
struct steady {
	uint32_t n;
	uint32_t *ctx, *sequence; /* tokens computed; [max_num_seqs] each     */
	uint32_t *due; /* with how many tokens something is to be done for it */
	uint64_t *id;  /* rows                                                */
	uint32_t n_front; /* of running[]: these, and with them those whose
			     last token is in flight                          */
	/* places of those whose last token is in the step */
	uint32_t n_spent, *spent;
	/* numbers, from 1, of the last batches that were not empty */
	uint32_t formed, processed;
	int64_t processed_ns;
	struct batch **queued; /* [n_queued] by number                        */
	uint32_t n_queued;
};

struct vllm {
	struct scheduler is;
	uint32_t n;
	uint32_t *running; /* [max_num_seqs] sequences, in order of admission */
	struct steady steady;
	uint32_t max_len;
	uint32_t calls; /* of choose(), from 1                                */
	int has_emptied; /* the last admission that was not deferred left nobody
			    waiting                                          */
	int is_deferring;
	/* the step being put together */
	struct batch *batch;
	uint32_t budget, all_tokens; /* left, and at first                    */
	uint32_t only_decodes; /* so far; or admissions are not padded        */
	uint32_t at; /* place in running[] of the one that is looked at       */
};
#endif
