/* sim/policy/sglang/sglang_state.h -- the state of policy sglang for a replica.
 *
 * `running` is SGLang's running batch.  A request that has ended keeps its
 * place there, as NO_SEQUENCE, until a call that decodes or mixes; it counts as
 * one that runs.  Shares of tokens are doubles, in the order and with the
 * roundings of SGLang, because its decisions depend on them: a few products and
 * sums, with the same bits on every machine.  [one thread] */
#pragma once
#include "sim/policy/members.h"
#include "sim/kv/radix_cache.h"

/* A request that makes tokens: how many tokens it will still make, and how many
 * it will free when it ends. */
struct sglang_coming {
	int64_t left, known;
};

struct sglang {
	struct scheduler is;
	struct batches_ahead members;
	int is_old;             /* 1: the rules of 0.5.6 */
	int evicts_shortfall;   /* 1: those of 2026-08 */
	uint32_t n, *running;   /* [max_num_seqs] */
	int is_full;            /* belongs to `running` */
	uint32_t n_seated;      /* requests that hold a slot */
	uint32_t n_last, *last; /* [max_num_seqs] of the last step, if it had
				   prompts */
	uint32_t chunked;       /* the prompt in progress, or NO_SEQUENCE */
	double share, first_share, least_share, fall; /* of expected tokens */
	struct radix_cache tree;
	uint64_t own_pages; /* pages of requests that are not in the tree */
	uint32_t entries;   /* requests that have entered the queue */
	/* About the step being formed: */
	uint32_t *order; /* [max_num_seqs] running ones, or those preempted */
	uint32_t n_preempted;
	double total_charged;
	int64_t rem_input, rem_chunk, now_charged;
	/* Requests by the tokens that they still make, with room for
	 * 2 * max_num_seqs + 2; n_coming 0: not made yet. */
	struct sglang_coming *coming;
	uint32_t n_coming;
	struct sglang_rank *rank; /* [cap_rank] */
	uint32_t cap_rank;
};

/* Returns the sequence; NULL: it has ended. */
static inline struct sequence *sglang_at(const struct sglang *s, uint32_t i)
{
	return i == NO_SEQUENCE ? NULL : scheduler_sequence(&s->is, i);
}
