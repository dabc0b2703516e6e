/* sim/policy/trtllm.h -- TensorRT-LLM's scheduler: which requests fit in
 * memory, and of those, which fit in a step.
 *
 * guaranteed_no_evict: those that generate first, then the others in order of
 * arrival.  Each reserves the blocks that it has at its end.  The first request
 * that does not fit ends the list, and nobody is ever paused.
 *
 * max_utilization: all in order of arrival, each with the blocks of its next
 * step.  If a request does not fit, the last one before it that generates is
 * paused, and gives up what it has.  Those that generate and were not reached
 * are paused, too.
 *
 * Then, in that order, a token for each that generates, and prompts, whole or
 * in chunks, while requests and tokens last.  Blocks of finished requests are
 * found again by their content.
 *
 * Source: TensorRT-LLM, _torch/pyexecutor/scheduler.py, read; the rest from
 * descriptions.  Nothing was run.  Integers only.  [one thread] */
#ifndef SC_SIM_POLICY_TRTLLM_H
#define SC_SIM_POLICY_TRTLLM_H
#include "sim/policy/decodes.h"
#include "sim/policy/members.h"

struct trtllm {
	struct scheduler is;
	struct members members;
	/* Nobody is paused, prompts go whole, and a step has a token for
	 * everybody.  Then all requests with blocks decode in every step after
	 * their prompt's: they are `decodes`, and started[] is not filled in.
	 */
	int is_steady;
	struct decodes decodes;
	uint64_t reserved; /* blocks that those with blocks have at their end */
	uint32_t n,
	    *started; /* [max_num_seqs] they have blocks; as they came */
	/* the step being put together */
	uint32_t n_fit, *fit; /* [max_num_seqs]                              */
	uint32_t n_fresh, *fresh; /* [max_num_seqs] taken from the queue     */
	uint32_t n_paused, *paused; /* [max_num_seqs]                        */
	uint32_t *rest, *chunk; /* [max_num_seqs] tokens of each that fits   */
};
extern const struct policy policy_trtllm;
#endif
