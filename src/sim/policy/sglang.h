/* sim/policy/sglang.h -- SGLang's scheduler: a step holds prompts or decodes.
 *
 * Prompts first, while requests, tokens and memory last, where those that run
 * reserve a share of the tokens they may still make; one prompt at a time may
 * go in chunks.  Without prompts all running requests decode one token.  If the
 * memory is too small for that, those with the fewest tokens give up all they
 * have, and wait to be computed again.  The share falls with each step of
 * decodes, and rises then.
 *
 * Memory is counted in pages of tokens; prefixes, of prompt and output, are
 * kept in a tree (radix.h).
 *
 * Source: SGLang, managers/schedule_policy.py, read; scheduler.py,
 * schedule_batch.py and the tree from descriptions.  Nothing was run.  Integers
 * only.  [one thread] */
#ifndef SC_SIM_POLICY_SGLANG_H
#define SC_SIM_POLICY_SGLANG_H
#include "sim/policy/members.h"
#include "sim/radix.h"

struct sglang {
	struct scheduler is;
	struct members members;
	uint32_t n, *running; /* [max_num_seqs], as their prompts ended      */
	uint32_t chunked;     /* its prompt is under way, or NO_SEQUENCE     */
	int is_full;
	int64_t share_ppb, least_ppb, fall_ppb; /* of coming tokens          */
	struct radix tree;
	uint64_t own_pages; /* of requests, not in the tree                  */
	/* the step being put together */
	uint32_t *order; /* [max_num_seqs] who waits, or gives way           */
	int64_t rem_input, rem_chunk, total_charged, now_charged;
};
extern const struct policy policy_sglang;
#endif
