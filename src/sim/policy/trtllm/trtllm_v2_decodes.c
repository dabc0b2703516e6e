/* trtllm_v2_decodes.c -- Chooses the decodes of a step under TensorRT-LLM's
 * second KV cache manager, and who gives up pages for them. */
#include "sim/policy/trtllm/trtllm_v2.h"

static struct sequence *at(const struct trtllm_v2 *s, uint32_t k)
{
	return scheduler_sequence(&s->is, s->started[k]);
}

static int is_ending(const struct sequence *q)
{
	return trtllm_v2_generates(q) &&
	       q->progress.known + q->progress.placeholders == q->progress.most;
}

/* Takes what its next token needs.  Returns 1 if there is room. */
static int fits(struct trtllm_v2 *s, struct sequence *q)
{
	return kv_tiers_resume(&s->kv, &q->kv) == 0 &&
	       kv_tiers_grow(&s->kv, &q->kv, q->progress.computed + 1) == 0;
}

static void suspend(struct trtllm_v2 *s, uint32_t k)
{
	kv_tiers_suspend(&s->kv, &at(s, k)->kv);
	s->suspended[s->n_suspended++] = s->started[k];
}

/* Nothing helps: it is suspended itself, if it came back at all.  One that was
 * suspended before this call has not lost anything. */
static void give_up(struct trtllm_v2 *s, uint32_t k, int was_active)
{
	if (was_active)
		suspend(s, k);
	else if (at(s, k)->kv.tiers.is_active)
		kv_tiers_suspend(&s->kv, &at(s, k)->kv);
}

/* Suspends the last requests behind place k until that one fits.  Returns 1 if
 * it does. */
static int suspend_behind(struct trtllm_v2 *s, uint32_t k)
{
	for (uint32_t i = s->end; i-- > k + 1;) {
		const struct sequence *q = at(s, i);
		if (!trtllm_v2_has_begun(q) || !q->kv.tiers.is_active)
			continue;
		suspend(s, i);
		s->end = i;
		if (fits(s, at(s, k)))
			return 1;
	}
	return 0;
}

/* Returns 1 if it may give up its pages; those that have have no cache. */
static int may_close(const struct sequence *q)
{
	return trtllm_v2_has_begun(q) && !is_ending(q);
}

/* Returns the place of the next request that gives up its pages for the one at
 * place k; n: there is none. */
static uint32_t next_victim(const struct trtllm_v2 *s, uint32_t k)
{
	for (uint32_t i = s->front; i-- > k + 1;)
		if (may_close(at(s, i)))
			return i;
	for (uint32_t i = 0; i < s->n_suspended; i++)
		if (may_close(scheduler_sequence(&s->is, s->suspended[i])))
			return list_find(s->started, s->n, s->suspended[i]);
	return s->n;
}

static int close_behind(struct trtllm_v2 *s, uint32_t k)
{
	for (uint32_t i; (i = next_victim(s, k)) < s->n;) {
		uint32_t place =
		    list_find(s->suspended, s->n_suspended, s->started[i]);
		if (place < s->n_suspended)
			list_remove(s->suspended, &s->n_suspended, place);
		kv_tiers_close(&s->kv, &at(s, i)->kv);
		s->closed[s->n_closed++] = s->started[i];
		if (i < s->front)
			s->front = i;
		if (fits(s, at(s, k)) || suspend_behind(s, k))
			return 1;
	}
	return 0;
}

void trtllm_v2_choose_decodes(struct trtllm_v2 *s)
{
	const struct engine *e = s->is.e;
	uint32_t k = 0;
	s->n_decoding = s->n_suspended = s->n_closed = 0;
	s->end = s->front = s->n;
	for (; k < s->end && s->n_decoding < e->max_num_seqs; k++) {
		if (!trtllm_v2_generates(at(s, k)) || is_ending(at(s, k)))
			continue;
		if (s->n_decoding == e->max_num_batched_tokens)
			break;
		int was_active = at(s, k)->kv.tiers.is_active;
		if (!fits(s, at(s, k)) && !suspend_behind(s, k) &&
		    !close_behind(s, k)) {
			give_up(s, k, was_active);
			break;
		}
		s->decoding[s->n_decoding++] = s->started[k];
	}
	s->end = k;
}
