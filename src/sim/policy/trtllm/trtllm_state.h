/* sim/policy/trtllm/trtllm_state.h -- what TensorRT-LLM's scheduler
 * (sim/policy/trtllm/trtllm.h) knows of its requests, and of the step that it
 * forms.
 */
#pragma once
#include "sim/kv/kv_tree.h"
#include "sim/policy/decodes.h"
#include "sim/policy/members.h"

/* A request that fits in memory. */
struct trtllm_fit {
	uint32_t sequence;
	uint32_t expected; /* tokens that a new one will probably find */
};
/* A prompt in the step. */
struct trtllm_prompt {
	struct trtllm_fit is;
	uint32_t rest, chunk; /* tokens: left of it; in the step */
};

struct trtllm {
	struct scheduler is;
	struct batches_ahead members;
	/* 1: prompts find blocks of earlier requests in the tree.  0: they find
	 * none, or, for layers with windows, by the hashes of vLLM's cache. */
	int has_tree;
	struct kv_tree tree;
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
	uint32_t waited; /* steps that prompts have waited to be batched */
	/* About the step being formed: */
	uint32_t n_fit;
	struct trtllm_fit *fit;     /* [max_num_seqs] */
	uint32_t n_fresh, *fresh;   /* [max_num_seqs] taken from the queue */
	uint32_t n_paused, *paused; /* [max_num_seqs] */
	uint32_t n_decoding, *decoding; /* [max_num_seqs] */
	uint32_t end; /* the search is over before this one, or NO_SEQUENCE */
	/* [max_num_seqs] keys of blocks that prompts compute */
	uint32_t n_computed;
	uint64_t *computed;
	/* [max_num_seqs] in the order of the step; room to sort them; those
	 * that begin */
	uint32_t n_prompts;
	struct trtllm_prompt *prompt, *sorted;
	struct kv_claim *claim;
};

/* Returns 1 if it has blocks. */
static inline int trtllm_is_started(const struct sequence *q)
{
	return q->kv.covered > 0;
}

/* Returns 1 if it has blocks, and its prompt is complete or will be after the
 * batch in flight. */
static inline int trtllm_generates(const struct sequence *q)
{
	return trtllm_is_started(q) && !q->progress.is_chunk;
}

/* Returns 1 if its last token is in flight.  It keeps its blocks and its
 * place, and is in no further step. */
static inline int trtllm_is_ending(const struct sequence *q)
{
	return trtllm_generates(q) &&
	       q->progress.known + q->progress.placeholders == q->progress.most;
}

/* Returns 1 if request a comes before b. */
static inline int trtllm_is_before(const struct trtllm *s, uint32_t a,
				   uint32_t b)
{
	return members_by_order(scheduler_sequence(&s->is, a),
				scheduler_sequence(&s->is, b));
}
