/* trtllm.c -- Forms the next step of a replica in the way of TensorRT-LLM's
 * scheduler. */
#include <config.h>
#include "sim/policy/trtllm.h"
#include "sim/kv_need.h"
#include <stdlib.h>

static struct trtllm *trtllm_of(const struct scheduler *s)
{
	return (struct trtllm *)(uintptr_t)s;
}

static int can_be_steady(const struct engine *e)
{
	return e->trtllm.capacity == CAPACITY_NO_EVICT &&
	       !e->trtllm.has_chunks &&
	       e->max_num_seqs <= e->max_num_batched_tokens;
}

static int init(struct scheduler *is)
{
	struct trtllm *s = trtllm_of(is);
	size_t n = is->e->max_num_seqs;
	s->is_steady = can_be_steady(is->e);
	is->waiting.before = members_by_order;
	s->started = malloc(n * sizeof *s->started);
	s->fit = malloc(n * sizeof *s->fit);
	s->fresh = malloc(n * sizeof *s->fresh);
	s->paused = malloc(n * sizeof *s->paused);
	s->rest = malloc(n * sizeof *s->rest);
	s->chunk = malloc(n * sizeof *s->chunk);
	return decodes_init(&s->decodes, is) == 0 && s->started && s->fit &&
		       s->fresh && s->paused && s->rest && s->chunk
		   ? 0
		   : -1;
}

static void release(struct scheduler *is)
{
	struct trtllm *s = trtllm_of(is);
	decodes_free(&s->decodes);
	free(s->started);
	free(s->fit);
	free(s->fresh);
	free(s->paused);
	free(s->rest);
	free(s->chunk);
}

/* ---- requests ---- */

/* Returns 1 if it has blocks, and its prompt is complete or will be after the
 * batch in flight. */
static int generates(const struct sequence *q)
{
	return q->progress.computed > 0 && !q->progress.is_chunk;
}

static int is_started(const struct sequence *q)
{
	return q->progress.computed > 0;
}

/* Returns how many tokens of its prompt the cache has; the last one is
 * computed.  A window takes blocks only for what it reaches after the whole
 * prompt. */
static uint32_t look_up(struct trtllm *s, struct sequence *q)
{
	struct kv *kv = &s->is.kv;
	uint32_t known = q->progress.known;
	uint32_t found = kv_find(kv, &q->kv, known - 1);
	if (kv->has_windows)
		kv_await(kv, found, known);
	return found;
}

static uint32_t rest_of(struct trtllm *s, uint32_t i)
{
	struct sequence *q = scheduler_sequence(&s->is, i);
	return q->progress.known -
	       (is_started(q) ? q->progress.computed : look_up(s, q));
}

static uint64_t blocks_to_the_end(const struct trtllm *s,
				  const struct sequence *q)
{
	return engine_blocks_of(s->is.e, q->progress.most);
}

/* Returns the blocks for its next step. */
static uint64_t blocks_now(struct trtllm *s, struct sequence *q)
{
	uint32_t known = q->progress.known;
	if (generates(q))
		return kv_need(&s->is.kv, &q->kv, q->progress.computed + 1);
	if (is_started(q))
		return kv_need(&s->is.kv, &q->kv, known);
	uint32_t found = look_up(s, q);
	return kv_need_first(&s->is.kv, found, known);
}

/* ---- requests that fit in memory ---- */

static int fits_more(const struct trtllm *s)
{
	return s->n_fit < s->is.e->max_num_seqs;
}

/* Moves the first waiting request from the queue to fresh[]. */
static uint32_t take_waiting(struct trtllm *s)
{
	uint32_t i = queue_first(&s->is.waiting);
	queue_pop(&s->is.waiting, s->is.pool);
	s->fresh[s->n_fresh++] = i;
	return i;
}

static void put_back_last(struct trtllm *s)
{
	scheduler_push(&s->is, &s->is.waiting, s->fresh[--s->n_fresh]);
}

/* Takes waiting requests while they fit.  Beyond the tokens of a step more
 * requests are useless, unless prompts are cut: then a short one may use the
 * rest. */
static void reserve_for_waiting(struct trtllm *s, uint64_t left)
{
	const struct engine *e = s->is.e;
	uint64_t tokens = 0;
	while (fits_more(s) && s->is.waiting.n && !s->is.is_deferring &&
	       (tokens <= e->max_num_batched_tokens || e->trtllm.has_chunks)) {
		uint32_t i = take_waiting(s);
		uint64_t need =
		    blocks_to_the_end(s, scheduler_sequence(&s->is, i));
		if (need > left) {
			put_back_last(s);
			return;
		}
		left -= need;
		tokens += rest_of(s, i);
		s->fit[s->n_fit++] = i;
	}
}

static void guarantee(struct trtllm *s)
{
	uint64_t left = s->is.e->num_gpu_blocks;
	for (int prompts = 0; prompts < 2; prompts++)
		for (uint32_t k = 0; k < s->n; k++) {
			const struct sequence *q =
			    scheduler_sequence(&s->is, s->started[k]);
			if (generates(q) == prompts)
				continue;
			s->fit[s->n_fit++] = s->started[k];
			left -= blocks_to_the_end(s, q);
		}
	reserve_for_waiting(s, left);
}

static void remove_started(struct trtllm *s, uint32_t i)
{
	list_remove(s->started, &s->n, list_find(s->started, s->n, i));
}

static void pause_one(struct trtllm *s, uint32_t i)
{
	struct sequence *q = scheduler_sequence(&s->is, i);
	remove_started(s, i);
	kv_give_back(&s->is.kv, &q->kv, 0);
	members_put_back(&s->is, i);
	s->paused[s->n_paused++] = i;
}

/* Pauses the last fitting request that generates.  Returns 0 if there is
 * none. */
static int pause_last_fitting(struct trtllm *s)
{
	uint32_t k = s->n_fit;
	while (k > 0 && !generates(scheduler_sequence(&s->is, s->fit[k - 1])))
		k--;
	if (k-- == 0)
		return 0;
	uint32_t i = s->fit[k];
	list_remove(s->fit, &s->n_fit, k);
	pause_one(s, i);
	return 1;
}

/* Returns the blocks of the step for all requests that fit so far. */
static uint64_t blocks_of_step(struct trtllm *s)
{
	uint64_t sum = 0;
	for (uint32_t k = 0; k < s->n_fit; k++)
		sum += blocks_now(s, scheduler_sequence(&s->is, s->fit[k]));
	return sum;
}

static int is_fitting(const struct trtllm *s, uint32_t i)
{
	return list_find(s->fit, s->n_fit, i) < s->n_fit;
}

/* Pauses requests that generate and were not reached; if none fits at all,
 * pauses the last one that has blocks. */
static void pause_unreached(struct trtllm *s)
{
	if (s->n_fit - s->n_fresh == s->n)
		return;
	for (uint32_t k = s->n; k-- > 0;) {
		uint32_t i = s->started[k];
		if (!is_fitting(s, i) &&
		    generates(scheduler_sequence(&s->is, i)))
			pause_one(s, i);
	}
	if (s->n_fit == 0 && s->n > 0 && s->is.n_preempted == 0)
		pause_one(s, s->started[s->n - 1]);
}

/* Returns the next request in order of arrival, among those with blocks from
 * index *k on and those that wait; NO_SEQUENCE: there is none. */
static uint32_t next_active(struct trtllm *s, uint32_t *k)
{
	uint32_t i = *k < s->n ? s->started[*k] : NO_SEQUENCE;
	uint32_t w =
	    s->is.is_deferring ? NO_SEQUENCE : queue_first(&s->is.waiting);
	if (w != NO_SEQUENCE &&
	    (i == NO_SEQUENCE ||
	     members_by_order(scheduler_sequence(&s->is, w),
			      scheduler_sequence(&s->is, i))))
		return take_waiting(s);
	++*k;
	return i;
}

/* Makes room for one more request behind the first *k with blocks.  Returns 0
 * if that is impossible.  Blocks that a paused request shared count for the
 * others from then on. */
static int make_room(struct trtllm *s, uint32_t i, uint64_t *used, uint32_t *k)
{
	struct sequence *q = scheduler_sequence(&s->is, i);
	uint64_t need;
	while (*used + (need = blocks_now(s, q)) > kv_room(&s->is.kv)) {
		if (!pause_last_fitting(s))
			return 0;
		*used = blocks_of_step(s);
		--*k;
	}
	*used += need;
	return 1;
}

static void utilize(struct trtllm *s)
{
	uint32_t k = 0, i;
	uint64_t used = 0;
	while (fits_more(s) && (i = next_active(s, &k)) != NO_SEQUENCE) {
		if (!make_room(s, i, &used, &k)) {
			if (!is_started(scheduler_sequence(&s->is, i)))
				put_back_last(s);
			break;
		}
		s->fit[s->n_fit++] = i;
	}
	pause_unreached(s);
}

/* ---- requests that fit in the step ---- */

/* Prompts that do not all fit: each one in turn gets the rest. */
static void chunk_in_turn(struct trtllm *s, uint32_t left)
{
	uint32_t unit = s->is.e->block_size;
	for (uint32_t k = 0; k < s->n_fit; k++) {
		s->chunk[k] =
		    s->rest[k] <= left ? s->rest[k] : left / unit * unit;
		left -= s->chunk[k];
	}
}

/* All prompts grow by one block in turn, while they fit. */
static void chunk_equally(struct trtllm *s, uint32_t left)
{
	uint32_t unit = s->is.e->block_size, grown = 1;
	while (left && grown) {
		grown = 0;
		for (uint32_t k = 0; k < s->n_fit; k++) {
			uint32_t n = s->rest[k] - s->chunk[k];
			n = n < unit ? n : unit;
			if (n == 0 || n > left)
				continue;
			s->chunk[k] += n;
			left -= n;
			grown = 1;
		}
	}
}

/* Adds a request to those that have blocks, in order of arrival. */
static void note_started(struct trtllm *s, uint32_t i)
{
	const struct sequence *q = scheduler_sequence(&s->is, i);
	uint32_t place = s->n;
	for (; place > 0 &&
	       members_by_order(
		   q, scheduler_sequence(&s->is, s->started[place - 1]));
	     place--)
		s->started[place] = s->started[place - 1];
	s->started[place] = i;
}

/* Takes blocks for the whole prompt of a request. */
static void start(struct trtllm *s, uint32_t i)
{
	struct kv *kv = &s->is.kv;
	struct sequence *q = scheduler_sequence(&s->is, i);
	uint32_t known = q->progress.known;
	uint32_t found = look_up(s, q);
	if (kv_begin(kv, &q->kv, found) || kv_cover(kv, &q->kv, known))
		s->is.out_of_memory = 1;
	if (!s->is_steady)
		note_started(s, i);
	s->n++;
	q->progress.computed = found;
	q->progress.is_preempted = 0;
	scheduler_admitted(&s->is, i);
	scheduler_found_cached(&s->is, q, found);
}

static int is_fresh(const struct trtllm *s, uint32_t i)
{
	return list_find(s->fresh, s->n_fresh, i) < s->n_fresh;
}

/* Adds at most n tokens of a prompt. */
static void add_prompt(struct trtllm *s, uint32_t i, uint32_t n)
{
	const struct progress *q = &scheduler_sequence(&s->is, i)->progress;
	if (is_fresh(s, i))
		start(s, i);
	uint32_t rest = q->known - q->computed;
	members_add(&s->members, &s->is, i, n < rest ? n : rest, 1);
}

static void add_decode(struct trtllm *s, uint32_t i)
{
	struct sequence *q = scheduler_sequence(&s->is, i);
	scheduler_drop_old(&s->is, &q->kv, q->progress.computed, 0);
	if (kv_cover(&s->is.kv, &q->kv, q->progress.computed + 1))
		s->is.out_of_memory = 1;
	members_add(&s->members, &s->is, i, 1, 0);
}

/* Takes requests that generate and, without chunks, prompts, until one does not
 * fit; notes the remaining tokens of the others.  Returns how many tokens are
 * left. */
static uint32_t take_whole(struct trtllm *s)
{
	const struct engine *e = s->is.e;
	uint32_t left = e->max_num_batched_tokens, k = 0;
	for (; k < s->n_fit; k++) {
		uint32_t i = s->fit[k];
		int decodes = generates(scheduler_sequence(&s->is, i));
		uint32_t n = decodes ? 1 : rest_of(s, i);
		s->rest[k] = s->chunk[k] = 0;
		if (!decodes && e->trtllm.has_chunks) {
			s->rest[k] = n;
			continue;
		}
		/* a paused prompt may have outgrown a step */
		if (n > left && s->members.batch->n_members)
			break;
		if (decodes)
			add_decode(s, i);
		else
			add_prompt(s, i, n);
		left -= n < left ? n : left;
	}
	s->n_fit = k;
	return left;
}

static void take_chunks(struct trtllm *s, uint32_t left)
{
	uint64_t all = 0;
	for (uint32_t k = 0; k < s->n_fit; k++)
		all += s->rest[k];
	if (all > left && s->is.e->trtllm.chunking == CHUNKS_EQUAL)
		chunk_equally(s, left);
	else
		chunk_in_turn(s, left);
	for (uint32_t k = 0; k < s->n_fit; k++)
		if (s->chunk[k])
			add_prompt(s, s->fit[k], s->chunk[k]);
}

/* ---- steady decodes ---- */

/* Takes all requests that decode, then whole prompts as long as requests,
 * blocks and tokens last; a step takes one prompt of any length. */
static void choose_steady(struct trtllm *s)
{
	const struct engine *e = s->is.e;
	struct queue *w = &s->is.waiting;
	uint32_t left = e->max_num_batched_tokens - s->decodes.n;
	decodes_run(&s->decodes, &s->is, s->members.batch);
	while (w->n && s->n < e->max_num_seqs && !s->is.is_deferring) {
		uint32_t i = queue_first(w), n = rest_of(s, i);
		uint64_t need =
		    blocks_to_the_end(s, scheduler_sequence(&s->is, i));
		if (need > e->num_gpu_blocks - s->reserved ||
		    (n > left && s->n))
			return;
		queue_pop(w, s->is.pool);
		start(s, i);
		s->reserved += need;
		members_add(&s->members, &s->is, i, n, 1);
		left -= n < left ? n : left;
	}
}

/* Requests that have their last token leave. */
static void end_steady(struct trtllm *s, const struct batch *b)
{
	for (uint32_t k = 0; k < b->n_last; k++) {
		struct sequence *q = scheduler_sequence(&s->is, b->last[k]);
		kv_key(&s->is.kv, &q->kv, q->progress.most - 1);
		kv_give_back(&s->is.kv, &q->kv, 1);
		s->reserved -= blocks_to_the_end(s, q);
	}
	s->n -= b->n_last;
	decodes_leave(&s->decodes);
}

/* ---- the policy ---- */

/* Puts a request back into the queue, unless the step has started it. */
static void wait_again(struct trtllm *s, uint32_t i)
{
	if (list_find(s->started, s->n, i) == s->n)
		scheduler_push(&s->is, &s->is.waiting, i);
}

static int choose(struct scheduler *is, struct batch *b, sc_step *step)
{
	struct trtllm *s = trtllm_of(is);
	scheduler_begin_step(is);
	members_begin(&s->members, b);
	s->n_fit = s->n_fresh = s->n_paused = 0;
	if (is->is_deferring)
		is->n_deferred = is->waiting.n;
	if (s->is_steady) {
		choose_steady(s);
		return members_show(&s->members, is, step);
	}
	if (is->e->trtllm.capacity == CAPACITY_NO_EVICT)
		guarantee(s);
	else
		utilize(s);
	take_chunks(s, take_whole(s));
	for (uint32_t k = 0; k < s->n_fresh; k++)
		wait_again(s, s->fresh[k]);
	for (uint32_t k = 0; k < s->n_paused; k++)
		wait_again(s, s->paused[k]);
	return members_show(&s->members, is, step);
}

static void commit(struct scheduler *is, struct batch *b)
{
	struct trtllm *s = trtllm_of(is);
	members_commit(&s->members, is);
	if (s->is_steady)
		decodes_commit(&s->decodes, is, b);
}

static void end(struct trtllm *s, uint32_t i)
{
	struct sequence *q = scheduler_sequence(&s->is, i);
	members_forget(&s->members, &s->is, i);
	if (q->progress.is_preempted) {
		queue_remove(&s->is.waiting, s->is.pool, i);
		return;
	}
	remove_started(s, i);
	kv_key(&s->is.kv, &q->kv, q->progress.most - 1);
	kv_give_back(&s->is.kv, &q->kv, 1);
}

static void process(struct scheduler *is, struct batch *b, int64_t now)
{
	struct trtllm *s = trtllm_of(is);
	members_process(&s->members, b, now);
	if (s->is_steady)
		decodes_process(&s->decodes, is, b);
	for (uint32_t k = 0; k < b->n_members; k++) {
		const struct member *m = &b->member[k];
		if (m->sequence != NO_SEQUENCE &&
		    members_count(b, is, m, now) && !s->is_steady)
			end(s, m->sequence);
	}
	if (s->is_steady)
		end_steady(s, b);
}

static uint32_t running(const struct scheduler *is)
{
	return trtllm_of(is)->n;
}

static uint32_t list(const struct scheduler *is, struct scheduled *out)
{
	const struct trtllm *s = trtllm_of(is);
	const struct batch *b = s->members.batch;
	uint32_t n = decodes_list(&s->decodes, b, out);
	return n + scheduler_list_members(is, b, out + n);
}

const struct policy policy_trtllm = {
    .size = sizeof(struct trtllm),
    .init = init,
    .free = release,
    .choose = choose,
    .commit = commit,
    .process = process,
    .running = running,
    .list = list,
    .found = scheduler_found,
};
