/* trtllm_capacity.c -- Chooses the requests that fit in memory in the way of
 * TensorRT-LLM's scheduler. */
#include <config.h>
#include "sim/policy/trtllm_capacity.h"
#include "sim/kv/kv_need.h"

/* Returns how many tokens of its prompt the cache has; the last one is
 * computed.  A window takes blocks only for what it reaches after the whole
 * prompt. */
uint32_t trtllm_look_up(struct trtllm *s, struct sequence *q)
{
	struct kv *kv = &s->is.kv;
	uint32_t known = q->progress.known;
	uint32_t found = kv_find(kv, &q->kv, known - 1);
	if (kv->has_windows)
		kv_await(kv, found, known);
	return found;
}

uint32_t trtllm_rest_of(struct trtllm *s, uint32_t i)
{
	struct sequence *q = scheduler_sequence(&s->is, i);
	return q->progress.known - (trtllm_is_started(q)
					? q->progress.computed
					: trtllm_look_up(s, q));
}

uint64_t trtllm_blocks_to_the_end(const struct trtllm *s,
				  const struct sequence *q)
{
	return engine_blocks_of(s->is.e, q->progress.most);
}

/* Returns the blocks for its next step. */
static uint64_t blocks_now(struct trtllm *s, struct sequence *q)
{
	uint32_t known = q->progress.known;
	if (trtllm_generates(q))
		return kv_need(&s->is.kv, &q->kv, q->progress.computed + 1);
	if (trtllm_is_started(q))
		return kv_need(&s->is.kv, &q->kv, known);
	uint32_t found = trtllm_look_up(s, q);
	return kv_need_first(&s->is.kv, found, known);
}

/* Returns the key of the first full block of tokens that the cache does not
 * have; 0: no other request can have these tokens, or there is no such block.
 * Layers with windows would need one for each window. */
static uint64_t next_new_block(struct trtllm *s, struct sequence *q)
{
	struct kv *kv = &s->is.kv;
	uint32_t unit = s->is.e->block_size, known = q->progress.known;
	if (!kv->finds || kv->has_windows ||
	    q->kv.content->shared_tokens < unit)
		return 0;
	uint32_t n = kv_find(kv, &q->kv, known) / unit + 1;
	if (n > known / unit || n > q->kv.content->shared_tokens / unit)
		return 0;
	if (content_keys(q->kv.content, n, unit)) {
		s->is.out_of_memory = 1;
		return 0;
	}
	return q->kv.content->key[n - 1];
}

/* Returns 1 if another prompt of this step, or one that is computed in chunks,
 * computes the next block that the request needs: then it waits, to find it in
 * the cache.  Otherwise the block is noted for those that follow. */
int trtllm_waits_for_block(struct trtllm *s, uint32_t i)
{
	uint64_t key = next_new_block(s, scheduler_sequence(&s->is, i));
	if (!key)
		return 0;
	for (uint32_t k = 0; k < s->n_computed; k++)
		if (s->computed[k] == key)
			return 1;
	s->computed[s->n_computed++] = key;
	return 0;
}

/* Notes the next blocks of prompts that are computed in chunks. */
void trtllm_note_chunks(struct trtllm *s)
{
	s->n_computed = 0;
	for (uint32_t k = 0; k < s->n; k++)
		if (!s->is_steady && !trtllm_generates(scheduler_sequence(
					 &s->is, s->started[k])))
			trtllm_waits_for_block(s, s->started[k]);
}

/* Every request that is not over has a place: those with blocks, those that
 * were paused, and those that were looked at. */
int trtllm_has_place(const struct trtllm *s)
{
	return s->n + s->n_fresh + s->n_paused < s->is.e->max_num_seqs;
}

/* Moves the first waiting request from the queue to fresh[]. */
uint32_t trtllm_take_waiting(struct trtllm *s)
{
	uint32_t i = queue_first(&s->is.waiting);
	queue_pop(&s->is.waiting, s->is.pool);
	s->fresh[s->n_fresh++] = i;
	return i;
}

/* Returns 1 if request a comes before b. */
int trtllm_is_before(const struct trtllm *s, uint32_t a, uint32_t b)
{
	return members_by_order(scheduler_sequence(&s->is, a),
				scheduler_sequence(&s->is, b));
}

static int is_in_search(const struct trtllm *s, uint32_t i)
{
	return i != NO_SEQUENCE &&
	       (s->end == NO_SEQUENCE || trtllm_is_before(s, i, s->end));
}

/* Returns the next request in order of arrival, among those with blocks from
 * index *k on and those that wait; NO_SEQUENCE: there is none, or the search is
 * over. */
static uint32_t next_active(struct trtllm *s, uint32_t *k)
{
	while (*k < s->n &&
	       trtllm_is_spent(scheduler_sequence(&s->is, s->started[*k])))
		++*k;
	uint32_t i = *k < s->n ? s->started[*k] : NO_SEQUENCE;
	uint32_t w = s->is.is_deferring || s->is_full || !trtllm_has_place(s)
			 ? NO_SEQUENCE
			 : queue_first(&s->is.waiting);
	if (is_in_search(s, w) &&
	    (i == NO_SEQUENCE || trtllm_is_before(s, w, i)))
		return trtllm_take_waiting(s);
	++*k;
	return is_in_search(s, i) ? i : NO_SEQUENCE;
}

/* Reserves the blocks of all requests that have some.  Those that generate fit,
 * and come first.  Returns how many blocks are left. */
static uint64_t reserve_for_started(struct trtllm *s)
{
	uint64_t left = s->is.e->num_gpu_blocks;
	for (uint32_t k = 0; k < s->n; k++) {
		const struct sequence *q =
		    scheduler_sequence(&s->is, s->started[k]);
		left -= trtllm_blocks_to_the_end(s, q);
		if (trtllm_generates(q) && !trtllm_is_spent(q))
			s->fit[s->n_fit++] = s->started[k];
	}
	return left;
}

/* Takes prompts in order of arrival: those that are computed in chunks, and
 * those that wait while they fit.  Beyond the tokens of a step more requests
 * are useless, unless prompts are cut: then a short one may use the rest. */
void trtllm_guarantee(struct trtllm *s)
{
	const struct engine *e = s->is.e;
	uint64_t left = reserve_for_started(s), tokens = 0;
	uint32_t k = 0, i;
	s->end = NO_SEQUENCE;
	while ((tokens <= e->max_num_batched_tokens || e->trtllm.has_chunks) &&
	       (i = next_active(s, &k)) != NO_SEQUENCE) {
		const struct sequence *q = scheduler_sequence(&s->is, i);
		uint64_t need = trtllm_blocks_to_the_end(s, q);
		if (trtllm_generates(q) ||
		    (!trtllm_is_started(q) && trtllm_waits_for_block(s, i)))
			continue;
		if (!trtllm_is_started(q) && (s->is_full |= need > left))
			continue;
		if (!trtllm_is_started(q))
			left -= need;
		tokens += trtllm_rest_of(s, i);
		s->fit[s->n_fit++] = i;
	}
}

void trtllm_remove_started(struct trtllm *s, uint32_t i)
{
	list_remove(s->started, &s->n, list_find(s->started, s->n, i));
}

static void pause_one(struct trtllm *s, uint32_t i)
{
	struct sequence *q = scheduler_sequence(&s->is, i);
	trtllm_remove_started(s, i);
	kv_give_back(&s->is.kv, &q->kv, 0);
	members_put_back(&s->is, i);
	s->paused[s->n_paused++] = i;
}

/* Returns the blocks of the step for all requests that fit so far. */
static uint64_t blocks_of_step(struct trtllm *s)
{
	uint64_t sum = 0;
	for (uint32_t k = 0; k < s->n_fit; k++)
		sum += blocks_now(s, scheduler_sequence(&s->is, s->fit[k]));
	return sum;
}

/* Pauses the last request with blocks from i on, i among them, and ends the
 * search before it.  Returns 0 if there is none. */
static int pause_last(struct trtllm *s, uint32_t i)
{
	uint32_t k = s->n;
	while (k > 0 &&
	       trtllm_is_spent(scheduler_sequence(&s->is, s->started[k - 1])))
		k--;
	if (k == 0 || trtllm_is_before(s, s->started[k - 1], i))
		return 0;
	s->end = s->started[k - 1];
	pause_one(s, s->end);
	return 1;
}

/* Makes room for one more request.  Returns 0 if that is impossible.  Blocks
 * that a paused request shared count for the others from then on. */
static int make_room(struct trtllm *s, uint32_t i, uint64_t *used)
{
	struct sequence *q = scheduler_sequence(&s->is, i);
	uint64_t need;
	while (*used + (need = blocks_now(s, q)) > kv_room(&s->is.kv)) {
		if (!pause_last(s, i) || s->end == i)
			return 0;
		*used = blocks_of_step(s);
	}
	*used += need;
	return 1;
}

void trtllm_utilize(struct trtllm *s)
{
	uint32_t k = 0, i;
	uint64_t used = 0;
	s->end = NO_SEQUENCE;
	while ((i = next_active(s, &k)) != NO_SEQUENCE) {
		if (!trtllm_is_started(scheduler_sequence(&s->is, i)) &&
		    trtllm_waits_for_block(s, i))
			continue;
		if (!make_room(s, i, &used))
			return;
		s->fit[s->n_fit++] = i;
	}
}
