/* trtllm_v2_prompts.c -- Chooses the prompts of a step under TensorRT-LLM's
 * second KV cache manager. */
#include "sim/policy/trtllm/trtllm_v2.h"

/* What becomes of a prompt. */
enum chosen { PROMPT_IS_IN, PROMPT_WAITS, PROMPT_ENDS_SEARCH };

/* Opens or resumes its cache.  Returns 0, or -1 if there is no room. */
static int prepare(struct trtllm_v2 *s, struct sequence *q)
{
	if (!q->kv.tiers.is_open) {
		kv_tiers_open(&s->kv, &q->kv, q->progress.known - 1);
		q->progress.full_found = q->kv.covered;
		q->progress.is_chunk = 1;
	}
	if (kv_tiers_resume(&s->kv, &q->kv))
		return -1;
	if (!q->progress.has_begun)
		q->progress.computed = q->progress.full_found;
	return 0;
}

/* Takes the pages of its chunk, if that fits into `left` tokens. */
static enum chosen take(struct trtllm_v2 *s, struct sequence *q, uint32_t left,
			uint32_t *chunk)
{
	const struct engine *e = s->is.e;
	int cuts = e->trtllm.has_chunks != 0;
	if (prepare(s, q))
		return cuts ? PROMPT_WAITS : PROMPT_ENDS_SEARCH;
	uint32_t rest = q->progress.known - q->progress.computed;
	if (!cuts && rest > left)
		return PROMPT_ENDS_SEARCH;
	*chunk = rest <= left
		     ? rest
		     : left / e->trtllm.chunk_unit * e->trtllm.chunk_unit;
	if (*chunk == 0 ||
	    kv_tiers_grow(&s->kv, &q->kv, q->progress.computed + *chunk))
		return PROMPT_WAITS;
	return PROMPT_IS_IN;
}

/* Returns 1 if a prompt in the step computes the block with that key. */
static int is_computed(const struct trtllm_v2 *s, uint64_t key)
{
	for (uint32_t k = 0; k < s->n_keys; k++)
		if (s->key[k] == key)
			return 1;
	return 0;
}

/* Returns the next prompt in order of arrival, among those of started[] from *k
 * on and those that wait. */
static uint32_t next_prompt(struct trtllm_v2 *s, uint32_t *k)
{
	uint32_t w = queue_first(&s->is.waiting);
	const struct sequence *last =
	    s->end < s->n ? scheduler_sequence(&s->is, s->started[s->end])
			  : NULL;
	while (*k < s->end) {
		const struct sequence *q =
		    scheduler_sequence(&s->is, s->started[*k]);
		if (q->kv.tiers.is_open && q->progress.is_chunk)
			break;
		++*k;
	}
	if (s->n + s->n_fresh == s->is.e->max_num_seqs)
		w = NO_SEQUENCE;
	if (w != NO_SEQUENCE && last &&
	    !members_by_order(scheduler_sequence(&s->is, w), last))
		w = NO_SEQUENCE;
	if (w != NO_SEQUENCE &&
	    (*k == s->end ||
	     members_by_order(scheduler_sequence(&s->is, w),
			      scheduler_sequence(&s->is, s->started[*k])))) {
		queue_pop(&s->is.waiting, s->is.pool);
		s->fresh[s->n_fresh++] = w;
		return w;
	}
	return *k < s->end ? s->started[(*k)++] : NO_SEQUENCE;
}

void trtllm_v2_choose_prompts(struct trtllm_v2 *s)
{
	const struct engine *e = s->is.e;
	uint32_t left = e->max_num_batched_tokens - s->n_decoding, k = 0, i;
	uint32_t least = e->trtllm.has_chunks ? e->trtllm.chunk_unit : 0;
	enum chosen chosen = PROMPT_IS_IN;
	s->n_prompts = s->n_keys = s->n_fresh = 0;
	while (chosen != PROMPT_ENDS_SEARCH && left >= least &&
	       s->n_decoding + s->n_prompts < e->max_num_seqs &&
	       (i = next_prompt(s, &k)) != NO_SEQUENCE) {
		struct sequence *q = scheduler_sequence(&s->is, i);
		uint64_t key =
		    kv_tiers_missing(&s->kv, &q->kv, q->progress.known - 1);
		uint32_t chunk = 0;
		if (!trtllm_v2_has_begun(q) && key && is_computed(s, key))
			continue;
		chosen = take(s, q, left, &chunk);
		if (chosen == PROMPT_IS_IN) {
			left -= chunk;
			s->prompt[s->n_prompts++] =
			    (struct trtllm_v2_prompt){i, chunk};
			s->key[s->n_keys++] = key;
		} else if (!trtllm_v2_has_begun(q)) {
			kv_tiers_close(&s->kv, &q->kv);
			q->progress.computed = q->progress.is_chunk = 0;
		}
	}
}
