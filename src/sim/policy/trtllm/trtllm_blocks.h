/* sim/policy/trtllm/trtllm_blocks.h -- the KV blocks of requests under
 * TensorRT-LLM's scheduler (sim/policy/trtllm/trtllm.h): what prompts find, and
 * what they leave.
 *
 * Without windows prompts find blocks, and parts of them, in a tree.  Layers
 * with windows find whole blocks, as under vLLM.  Integers only.
 * [one thread] */
#pragma once
#include "base/whole.h"
#include "sim/policy/trtllm/trtllm_state.h"

/* What a request that has no blocks would find. */
struct trtllm_look {
	uint32_t expected; /* tokens                                         */
	uint32_t shared;   /* blocks that others hold                        */
	uint64_t next; /* key of the first full block that is missing; 0: none,
			* or others do not wait for it                       */
};
struct trtllm_look trtllm_look(struct trtllm *s, struct sequence *q);

/* Returns how many blocks it holds; those of windows are not counted. */
static inline uint32_t trtllm_held(const struct trtllm *s,
				   const struct sequence *q)
{
	return whole_divide_up(q->kv.covered, s->is.e->block_size);
}
/* Returns how many it has at its end. */
static inline uint64_t trtllm_blocks_at_end(const struct trtllm *s,
					    const struct sequence *q)
{
	return engine_blocks_of(s->is.e, q->progress.most);
}
/* Returns how many tokens of its prompt are left. */
static inline uint32_t trtllm_rest(const struct sequence *q)
{
	return q->progress.known - q->progress.computed;
}

/* The prompts of the step that begin take their blocks. */
void trtllm_begin_prompts(struct trtllm *s);
/* A request that decodes takes a block for its next token, if it needs one. */
void trtllm_cover_decode(struct trtllm *s, struct sequence *q);

/* A prompt of a batch that is over: what it has computed can be found. */
void trtllm_store(struct trtllm *s, struct sequence *q);
/* The same, and it gives back its blocks. */
void trtllm_give_back(struct trtllm *s, struct sequence *q);
/* The request will give back its blocks in this call.  Returns how many will be
 * free then that are not free with those before. */
uint64_t trtllm_leave(struct trtllm *s, struct sequence *q);
/* Gives back the blocks of all paused requests. */
void trtllm_give_back_paused(struct trtllm *s);
