/* trtllm.c -- Forms the next step of a replica in the way of TensorRT-LLM's
 * scheduler. */
#include <config.h>
#include "sim/policy/trtllm.h"
#include "sim/policy/trtllm_capacity.h"
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
	s->is_steady = !is->may_leave && can_be_steady(is->e);
	is->waiting.before = members_by_order;
	s->started = malloc(n * sizeof *s->started);
	s->fit = malloc(n * sizeof *s->fit);
	s->fresh = malloc(n * sizeof *s->fresh);
	s->paused = malloc(n * sizeof *s->paused);
	s->decoding = malloc(n * sizeof *s->decoding);
	s->computed = malloc(n * sizeof *s->computed);
	s->rest = malloc(n * sizeof *s->rest);
	s->chunk = malloc(n * sizeof *s->chunk);
	return decodes_init(&s->decodes, is) == 0 && s->started && s->fit &&
		       s->fresh && s->paused && s->decoding && s->computed &&
		       s->rest && s->chunk
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
	free(s->decoding);
	free(s->computed);
	free(s->rest);
	free(s->chunk);
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
	uint32_t found = trtllm_look_up(s, q);
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
	s->n_decoding = 0;
	for (; k < s->n_fit; k++) {
		uint32_t i = s->fit[k];
		int decodes = trtllm_generates(scheduler_sequence(&s->is, i));
		uint32_t n = decodes ? 1 : trtllm_rest_of(s, i);
		s->rest[k] = s->chunk[k] = 0;
		if (!decodes && e->trtllm.has_chunks) {
			s->rest[k] = n;
			continue;
		}
		/* a paused prompt may have outgrown a step */
		if (n > left && s->n_decoding + s->members.batch->n_members)
			break;
		if (decodes)
			s->decoding[s->n_decoding++] = i;
		else
			add_prompt(s, i, n);
		left -= n < left ? n : left;
	}
	s->n_fit = k;
	return left;
}

/* Adds the chunks that complete their prompt, or the others. */
static void add_chunks(struct trtllm *s, int are_last)
{
	for (uint32_t k = 0; k < s->n_fit; k++)
		if (s->chunk[k] && (s->chunk[k] == s->rest[k]) == are_last)
			add_prompt(s, s->fit[k], s->chunk[k]);
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
	add_chunks(s, 0);
	add_chunks(s, 1);
}

/* Prompts come before decodes in a step. */
static void take_decodes(struct trtllm *s)
{
	for (uint32_t k = 0; k < s->n_decoding; k++)
		add_decode(s, s->decoding[k]);
}

/* ---- steady decodes ---- */

/* Takes whole prompts as long as requests, blocks and tokens last; a step takes
 * one prompt of any length. */
static void start_prompts(struct trtllm *s, uint32_t left)
{
	const struct engine *e = s->is.e;
	struct queue *w = &s->is.waiting;
	while (w->n && trtllm_has_place(s) && !s->is.is_deferring) {
		uint32_t i = queue_first(w);
		if (trtllm_waits_for_block(s, i)) {
			trtllm_take_waiting(s);
			continue;
		}
		uint32_t n = trtllm_rest_of(s, i);
		uint64_t need =
		    trtllm_blocks_to_the_end(s, scheduler_sequence(&s->is, i));
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

/* Takes all requests that decode, and prompts, which take their blocks first.
 */
static void choose_steady(struct trtllm *s)
{
	start_prompts(s, s->is.e->max_num_batched_tokens - s->decodes.n);
	decodes_run(&s->decodes, &s->is, s->members.batch);
}

/* Requests that have their last token leave. */
static void end_steady(struct trtllm *s, const struct batch *b)
{
	for (uint32_t k = 0; k < b->n_last; k++) {
		struct sequence *q = scheduler_sequence(&s->is, b->last[k]);
		kv_key(&s->is.kv, &q->kv, progress_end(&q->progress) - 1);
		kv_give_back(&s->is.kv, &q->kv, 1);
		s->reserved -= trtllm_blocks_to_the_end(s, q);
	}
	s->n -= b->n_last;
}

/* ---- the policy ---- */

/* Puts a request back into the queue, unless the step has started it. */
static void wait_again(struct trtllm *s, uint32_t i)
{
	if (s->is_steady || list_find(s->started, s->n, i) == s->n)
		scheduler_push(&s->is, &s->is.waiting, i);
}

/* Forms a step of requests that fit in memory. */
static void choose_fitting(struct trtllm *s)
{
	if (s->is.e->trtllm.capacity == CAPACITY_NO_EVICT)
		trtllm_guarantee(s);
	else
		trtllm_utilize(s);
	take_chunks(s, take_whole(s));
	take_decodes(s);
}

static int choose(struct scheduler *is, struct batch *b, sc_step *step)
{
	struct trtllm *s = trtllm_of(is);
	scheduler_begin_step(is);
	members_begin(&s->members, b);
	s->n_fit = s->n_fresh = s->n_paused = 0;
	s->is_full = 0;
	if (is->is_deferring)
		is->n_deferred = is->waiting.n;
	trtllm_note_chunks(s);
	if (s->is_steady)
		choose_steady(s);
	else
		choose_fitting(s);
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
	trtllm_remove_started(s, i);
	kv_key(&s->is.kv, &q->kv, progress_end(&q->progress) - 1);
	kv_give_back(&s->is.kv, &q->kv, 1);
}

/* The blocks of a complete prompt are found from then on. */
static void key_prompt(struct trtllm *s, const struct member *x)
{
	struct sequence *q = scheduler_sequence(&s->is, x->sequence);
	uint32_t tokens = x->context + x->new_tokens;
	if (x->is_prefill && x->makes_token && trtllm_generates(q) &&
	    q->progress.computed >= tokens)
		kv_key(&s->is.kv, &q->kv, tokens);
}

/* Requests end in order of arrival. */
static void sort_last(struct trtllm *s, struct batch *b)
{
	for (uint32_t k = 1; k < b->n_last; k++) {
		uint32_t i = b->last[k], place = k;
		for (; place > 0 && trtllm_is_before(s, i, b->last[place - 1]);
		     place--)
			b->last[place] = b->last[place - 1];
		b->last[place] = i;
	}
}

static void process(struct scheduler *is, struct batch *b, int64_t now)
{
	struct trtllm *s = trtllm_of(is);
	members_process(&s->members, b, now);
	if (s->is_steady)
		decodes_process(&s->decodes, is, b);
	for (uint32_t k = 0; k < b->n_members; k++)
		if (b->member[k].sequence != NO_SEQUENCE) {
			key_prompt(s, &b->member[k]);
			members_count(b, is, &b->member[k], now);
		}
	sort_last(s, b);
	if (s->is_steady)
		end_steady(s, b);
	else
		for (uint32_t k = 0; k < b->n_last; k++)
			end(s, b->last[k]);
}

/* Requests that may leave early are never `decodes`. */
static int withdraw(struct scheduler *is, uint32_t i)
{
	struct trtllm *s = trtllm_of(is);
	struct sequence *q = scheduler_sequence(is, i);
	q->generated = q->progress.known - q->request.input_tokens;
	members_forget(&s->members, is, i);
	if (scheduler_leave_queue(is, &is->waiting, i))
		return 0;
	trtllm_remove_started(s, i);
	kv_give_back(&is->kv, &q->kv, 1);
	return 0;
}

static uint32_t running(const struct scheduler *is)
{
	return trtllm_of(is)->n;
}

static uint32_t list(const struct scheduler *is, struct scheduled *out)
{
	const struct trtllm *s = trtllm_of(is);
	const struct batch *b = s->members.batch;
	uint32_t n = scheduler_list_members(is, b, out);
	return n + decodes_list(&s->decodes, b, out + n);
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
    .withdraw = withdraw,
    .found = scheduler_found,
};
