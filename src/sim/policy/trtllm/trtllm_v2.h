/* sim/policy/trtllm/trtllm_v2.h -- the scheduler that TensorRT-LLM has for its
 * second KV cache manager (sim/kv/kv_tiers.h): it takes pages while it chooses.
 *
 * Requests that generate come first, each with a token, then prompts, whole or
 * in chunks, in order of arrival.  For one that generates and gets no page, the
 * last request behind it is suspended: its pages may go to the host until it is
 * resumed.  If that is not enough, the last ones give up their pages and are
 * computed again.  A prompt waits while another one in the step computes the
 * first block that it needs.
 *
 * doc/engines.md lists the rules and their source (read).  Integers only.
 * [one thread] */
#pragma once
#include "sim/kv/kv_tiers.h"
#include "sim/policy/members.h"

/* A prompt in the step, and how many tokens of it. */
struct trtllm_v2_prompt {
	uint32_t sequence, chunk;
};

struct trtllm_v2 {
	struct scheduler is;
	struct batches_ahead members;
	struct kv_tiers kv;
	uint32_t n, *started; /* requests with a cache, in order of arrival */
	uint32_t waited;      /* steps that prompts have waited to be batched */
	/* About the step being formed, [max_num_seqs] each: */
	uint32_t end; /* decodes of started[] from here on are not looked at */
	uint32_t front; /* no victim from here on is closed */
	uint32_t n_suspended, *suspended;
	uint32_t n_closed, *closed;
	uint32_t n_fresh, *fresh; /* taken from the queue */
	uint32_t n_decoding, *decoding;
	uint32_t n_prompts;
	struct trtllm_v2_prompt *prompt, *sorted;
	uint32_t n_keys;
	uint64_t *key; /* of blocks that these prompts compute */
};

extern const struct policy policy_trtllm_v2;

/* Fills in the decodes of the step; suspended[] and closed[] get victims. */
void trtllm_v2_choose_decodes(struct trtllm_v2 *s);
/* Then the prompts, of the requests before started[end]. */
void trtllm_v2_choose_prompts(struct trtllm_v2 *s);

/* Returns 1 if its prompt is complete, or will be after the batch in flight. */
static inline int trtllm_v2_generates(const struct sequence *q)
{
	return q->kv.tiers.is_open && !q->progress.is_chunk;
}
/* Returns 1 if a step has computed some of its prompt. */
static inline int trtllm_v2_has_begun(const struct sequence *q)
{
	return q->kv.tiers.is_open && q->progress.has_begun;
}
