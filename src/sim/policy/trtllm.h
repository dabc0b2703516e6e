/* sim/policy/trtllm.h -- TensorRT-LLM's scheduler: it decides which requests
 * fit in memory, and which of them fit in a step.
 *
 *   guaranteed_no_evict  Requests that generate come first, then the others in
 *                        order of arrival.  Each reserves the blocks that it
 *                        needs at its end.  The first that does not fit ends
 *                        the search, and no request is ever paused.
 *   max_utilization      In order of arrival, each with the blocks of its next
 *                        step.  For one that does not fit, the last one before
 *                        it that generates is paused and gives up its blocks.
 *                        Requests that generate and were not reached are
 *                        paused, too.
 *
 * Then the step takes, in that order, a token for each request that generates,
 * and prompts, whole or in chunks, while requests and tokens last.  Blocks of
 * finished requests are found again by their content.
 *
 * Source: TensorRT-LLM, _torch/pyexecutor/scheduler.py was read; the rest is
 * known from descriptions.  TensorRT-LLM was not run.  Integers only.  [one
 * thread] */
#ifndef SC_SIM_POLICY_TRTLLM_H
#define SC_SIM_POLICY_TRTLLM_H
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
	uint32_t *rest, *chunk; /* [max_num_seqs] tokens of each that fits */
};
extern const struct policy policy_trtllm;
#endif
