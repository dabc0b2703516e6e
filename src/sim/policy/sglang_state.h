/* sim/policy/sglang_state.h -- the state of policy sglang for a replica. */
#ifndef SC_SIM_POLICY_SGLANG_STATE_H
#define SC_SIM_POLICY_SGLANG_STATE_H
#include "sim/policy/members.h"
#include "sim/radix.h"

struct sglang {
	struct scheduler is;
	struct members members;
	/* [max_num_seqs] in the order their prompts ended */
	uint32_t n, *running;
	/* the request with a chunked prompt in progress, or NO_SEQUENCE */
	uint32_t chunked;
	int is_full;
	int64_t share_ppb, least_ppb, fall_ppb; /* of expected tokens */
	struct radix tree;
	uint64_t own_pages; /* pages of requests that are not in the tree */
	/* About the step being formed: */
	/* [max_num_seqs] waiting requests, or the order of giving way */
	uint32_t *order;
	int64_t rem_input, rem_chunk, total_charged, now_charged;
};
#endif
