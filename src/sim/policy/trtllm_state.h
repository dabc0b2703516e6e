/* sim/policy/trtllm_state.h -- what TensorRT-LLM's scheduler
 * (sim/policy/trtllm.h) knows of its requests, and of the step that it forms.
 */
#ifndef SC_SIM_POLICY_TRTLLM_STATE_H
#define SC_SIM_POLICY_TRTLLM_STATE_H
#include "sim/policy/decodes.h"
#include "sim/policy/members.h"

struct trtllm {
	struct scheduler is;
	struct members members;
	/* 1: no request is paused, prompts are not cut, and a step has a token
	 * for every request.  Then all requests with blocks decode in every
	 * step after their prompt's; they are `decodes`, and started[] stays
	 * empty. */
	int is_steady;
	struct decodes decodes;
	uint64_t reserved; /* blocks that these need at their end */
	uint32_t n,
	    /* [max_num_seqs] requests with blocks, in order of arrival */
	    *started;
	/* About the step being formed: */
	uint32_t n_fit, *fit;       /* [max_num_seqs] */
	uint32_t n_fresh, *fresh;   /* [max_num_seqs] taken from the queue */
	uint32_t n_paused, *paused; /* [max_num_seqs] */
	uint32_t n_decoding, *decoding; /* [max_num_seqs] */
	int is_full;  /* 1: one that waits does not fit, so no other one does */
	uint32_t end; /* the search is over before this one, or NO_SEQUENCE */
	/* [max_num_seqs] keys of blocks that prompts compute */
	uint32_t n_computed;
	uint64_t *computed;
	uint32_t *rest, *chunk; /* [max_num_seqs] tokens of each that fits */
};
#endif
