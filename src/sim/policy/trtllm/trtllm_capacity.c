/* trtllm_capacity.c -- Chooses the requests that fit in memory in the way of
 * TensorRT-LLM's scheduler. */
#include "sim/policy/trtllm/trtllm_capacity.h"
#include "base/whole.h"
#include "sim/kv/kv_need.h"
#include "sim/policy/trtllm/trtllm_blocks.h"
#include "sim/policy/trtllm/trtllm_step.h"

/* ---- the search ---- */

/* Every request that is not over has a place: those with blocks, those that
 * were paused, and those that were looked at. */
static int has_place(const struct trtllm *s)
{
	return s->n + s->n_fresh + s->n_paused < s->is.e->max_num_seqs;
}

static int is_in_search(const struct trtllm *s, uint32_t i)
{
	return i != NO_SEQUENCE &&
	       (s->end == NO_SEQUENCE || trtllm_is_before(s, i, s->end));
}

/* Moves the first waiting request from the queue to fresh[]. */
static uint32_t take_waiting(struct trtllm *s)
{
	uint32_t i = queue_first(&s->is.waiting);
	queue_pop(&s->is.waiting, s->is.pool);
	s->fresh[s->n_fresh++] = i;
	return i;
}

/* Returns the next request in order of arrival, among those of started[] from
 * *k on and those that wait; NO_SEQUENCE: there is none, or the search is
 * over. */
static uint32_t next_active(struct trtllm *s, uint32_t *k)
{
	uint32_t listed = s->is_steady ? 0 : s->n;
	uint32_t i = *k < listed ? s->started[*k] : NO_SEQUENCE;
	uint32_t w = has_place(s) ? queue_first(&s->is.waiting) : NO_SEQUENCE;
	if (is_in_search(s, w) &&
	    (i == NO_SEQUENCE || trtllm_is_before(s, w, i)))
		return take_waiting(s);
	++*k;
	return is_in_search(s, i) ? i : NO_SEQUENCE;
}

static void add(struct trtllm *s, uint32_t i, uint32_t expected)
{
	s->fit[s->n_fit++] = (struct trtllm_fit){i, expected};
}

/* ---- blocks that others compute ---- */

/* Returns 1 if another prompt computes the block with that key, which the
 * request needs next: then it waits, to find it in the cache.  Otherwise the
 * block is noted for those that follow. */
static int waits_for_block(struct trtllm *s, uint64_t key)
{
	if (!key)
		return 0;
	for (uint32_t k = 0; k < s->n_computed; k++)
		if (s->computed[k] == key)
			return 1;
	s->computed[s->n_computed++] = key;
	return 0;
}

/* Notes the next blocks of prompts that are computed in chunks. */
static void note_chunks(struct trtllm *s)
{
	s->n_computed = 0;
	for (uint32_t k = 0; !s->is_steady && k < s->n; k++) {
		struct sequence *q = scheduler_sequence(&s->is, s->started[k]);
		uint64_t key = trtllm_generates(q) ? 0 : trtllm_look(s, q).next;
		if (key)
			s->computed[s->n_computed++] = key;
	}
}

/* ---- guaranteed_no_evict and static_batch ---- */

/* Returns the blocks that a request lacks at its end.  With windows those with
 * blocks have reserved all of theirs. */
static int64_t rest_of(const struct trtllm *s, const struct sequence *q,
		       uint32_t shared)
{
	int64_t end = (int64_t)trtllm_blocks_at_end(s, q);
	if (!trtllm_is_started(q))
		return end - shared;
	return s->is.kv.has_windows ? 0 : end - trtllm_held(s, q);
}

static int64_t bounded(uint64_t n)
{
	return n < INT64_MAX ? (int64_t)n : INT64_MAX;
}

/* Returns the blocks that are left for requests which do not decode yet.  A
 * block that several hold counts once. */
static int64_t left_for_prompts(struct trtllm *s)
{
	const struct blocks *pool = &s->is.kv.pool;
	int has_windows = s->is.kv.has_windows;
	uint64_t shares = has_windows ? 0 : pool->shares, end = 0;
	if (s->is_steady)
		return bounded(pool->capacity) -
		       (int64_t)(s->reserved - shares);
	for (uint32_t k = 0; has_windows && k < s->n; k++)
		end += trtllm_blocks_at_end(
		    s, scheduler_sequence(&s->is, s->started[k]));
	int64_t left = has_windows ? bounded(pool->capacity) - (int64_t)end
				   : bounded(kv_room(&s->is.kv));
	for (uint32_t k = 0; k < s->n; k++) {
		const struct sequence *q =
		    scheduler_sequence(&s->is, s->started[k]);
		if (trtllm_generates(q))
			left -= rest_of(s, q, 0);
	}
	return left;
}

/* Returns 1 if a request decodes, or has its last token in flight. */
static int someone_generates(const struct trtllm *s)
{
	for (uint32_t k = 0; k < s->n; k++)
		if (trtllm_generates(scheduler_sequence(&s->is, s->started[k])))
			return 1;
	return 0;
}

/* Those that decode fit, and come first. */
static void fit_decodes(struct trtllm *s)
{
	for (uint32_t k = 0; !s->is_steady && k < s->n; k++)
		if (trtllm_generates(scheduler_sequence(&s->is, s->started[k])))
			add(s, s->started[k], 0);
}

/* Takes prompts in order of arrival: those that are computed in chunks, and
 * those that wait, until one does not fit.  Beyond the tokens of a step more
 * requests are useless, unless prompts are cut: then a short one may use the
 * rest. */
static void guarantee(struct trtllm *s)
{
	const struct engine *e = s->is.e;
	int is_static = e->trtllm.capacity == CAPACITY_STATIC_BATCH;
	int64_t left = left_for_prompts(s);
	uint64_t tokens = 0;
	uint32_t k = 0, i;
	fit_decodes(s);
	if (is_static && someone_generates(s))
		return;
	note_chunks(s);
	while ((tokens <= e->max_num_batched_tokens || e->trtllm.has_chunks) &&
	       (i = next_active(s, &k)) != NO_SEQUENCE) {
		struct sequence *q = scheduler_sequence(&s->is, i);
		struct trtllm_look look = {0};
		if (trtllm_generates(q))
			continue;
		if (!trtllm_is_started(q)) {
			look = trtllm_look(s, q);
			if (!is_static && waits_for_block(s, look.next))
				continue;
		}
		int64_t need = rest_of(s, q, look.shared);
		if (need > left)
			return;
		left -= need;
		tokens +=
		    trtllm_cost(trtllm_rest(q), look.expected, trtllm_rest(q));
		add(s, i, look.expected);
	}
}

/* ---- max_utilization ---- */

void trtllm_remove_started(struct trtllm *s, uint32_t i)
{
	uint32_t n = s->n;
	list_remove(s->started, &n, list_find(s->started, n, i));
}

/* Returns the blocks for its next step. */
static uint64_t blocks_now(struct trtllm *s, struct sequence *q,
			   const struct trtllm_look *look)
{
	uint32_t known = q->progress.known, unit = s->is.e->block_size;
	if (trtllm_generates(q))
		return kv_need(&s->is.kv, &q->kv, q->progress.computed + 1);
	if (trtllm_is_started(q))
		return kv_need(&s->is.kv, &q->kv, known);
	if (s->is.kv.has_windows)
		return kv_need_first(&s->is.kv, look->expected, known);
	return whole_divide_up(known, unit) - look->shared;
}

/* Pauses the last request with blocks from i on, i among them, and ends the
 * search before it.  Adds the blocks that this frees to *room.  Returns 0 if
 * there is none. */
static int pause_last(struct trtllm *s, uint32_t i, uint64_t *room)
{
	if (s->n == 0 || trtllm_is_before(s, s->started[s->n - 1], i))
		return 0;
	s->end = s->started[--s->n];
	s->paused[s->n_paused++] = s->end;
	*room += trtllm_leave(s, scheduler_sequence(&s->is, s->end));
	return 1;
}

/* Takes requests in order of arrival.  For one that does not fit the last one
 * with blocks is paused, and it is tried again. */
static void utilize(struct trtllm *s)
{
	uint64_t room = kv_room(&s->is.kv), used = 0, need;
	uint32_t k = 0, i;
	note_chunks(s);
	while ((i = next_active(s, &k)) != NO_SEQUENCE)
		for (;;) {
			struct sequence *q = scheduler_sequence(&s->is, i);
			struct trtllm_look look = {0};
			if (!trtllm_is_started(q)) {
				look = trtllm_look(s, q);
				if (waits_for_block(s, look.next))
					break;
			}
			need = blocks_now(s, q, &look);
			if (used + need <= room) {
				used += need;
				add(s, i, look.expected);
				break;
			}
			if (!pause_last(s, i, &room) || s->end == i)
				return;
		}
}

void trtllm_choose_fitting(struct trtllm *s)
{
	s->n_fit = s->n_fresh = s->n_paused = s->n_computed = 0;
	s->end = NO_SEQUENCE;
	if (s->is.e->trtllm.capacity == CAPACITY_MAX_UTILIZATION)
		utilize(s);
	else
		guarantee(s);
}
