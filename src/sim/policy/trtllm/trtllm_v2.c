/* trtllm_v2.c -- Forms the next step of a replica in the way of the scheduler
 * of TensorRT-LLM's second KV cache manager. */
#include "sim/policy/trtllm/trtllm_v2.h"
#include <string.h>
#include "sim/policy/batch_wait.h"

static struct trtllm_v2 *v2_of(const struct scheduler *s)
{
	return (struct trtllm_v2 *)(uintptr_t)s;
}

static void init(struct scheduler *is)
{
	struct trtllm_v2 *s = v2_of(is);
	size_t n = is->e->max_num_seqs;
	kv_tiers_init(&s->kv, &is->kv, (int)is->e->trtllm.finds_parts);
	is->waiting.before = members_by_order;
	s->started = arrays_add(&is->arrays, n, sizeof *s->started);
	s->suspended = arrays_add(&is->arrays, n, sizeof *s->suspended);
	s->closed = arrays_add(&is->arrays, n, sizeof *s->closed);
	s->fresh = arrays_add(&is->arrays, n, sizeof *s->fresh);
	s->decoding = arrays_add(&is->arrays, n, sizeof *s->decoding);
	s->prompt = arrays_add(&is->arrays, n, sizeof *s->prompt);
	s->sorted = arrays_add(&is->arrays, n, sizeof *s->sorted);
	s->key = arrays_add(&is->arrays, n, sizeof *s->key);
}

static void release(struct scheduler *is)
{
	kv_tiers_free(&v2_of(is)->kv);
}

/* ---- a step ---- */

/* Removes all prompts if they wait for those of other ranks, or for more of
 * their own. */
static void wait_for_batch(struct trtllm_v2 *s)
{
	uint64_t tokens = s->n_decoding;
	if (s->is.is_deferring) {
		s->is.n_deferred = s->n_prompts;
		s->n_prompts = 0;
	}
	if (s->n_prompts == 0 || s->n_decoding == 0 ||
	    !batch_wait_is_on(s->is.e))
		return;
	for (uint32_t k = 0; k < s->n_prompts; k++)
		tokens += s->prompt[k].chunk;
	if (batch_wait_holds(&s->waited, &s->is.e->trtllm, tokens))
		s->n_prompts = 0;
}

/* Prompts that the step does not complete come before the others. */
static void sort_prompts(struct trtllm_v2 *s)
{
	uint32_t n = 0;
	for (int completes = 0; completes < 2; completes++)
		for (uint32_t k = 0; k < s->n_prompts; k++) {
			const struct trtllm_v2_prompt *x = &s->prompt[k];
			const struct progress *g =
			    &scheduler_sequence(&s->is, x->sequence)->progress;
			if ((g->computed + x->chunk >= g->known) == completes)
				s->sorted[n++] = *x;
		}
	memcpy(s->prompt, s->sorted, n * sizeof *s->prompt);
}

/* Adds a request to those that have a cache. */
static void add_started(struct trtllm_v2 *s, uint32_t i)
{
	uint32_t place = s->n++;
	for (; place > 0 &&
	       members_by_order(
		   scheduler_sequence(&s->is, i),
		   scheduler_sequence(&s->is, s->started[place - 1]));
	     place--)
		s->started[place] = s->started[place - 1];
	s->started[place] = i;
}

static void remove_started(struct trtllm_v2 *s, uint32_t i)
{
	list_remove(s->started, &s->n, list_find(s->started, s->n, i));
}

/* Those that have a cache, and those that wait, know where they belong. */
static void settle(struct trtllm_v2 *s)
{
	uint32_t n = 0;
	for (uint32_t k = 0; k < s->n_suspended; k++)
		scheduler_preempted(
		    &s->is, scheduler_sequence(&s->is, s->suspended[k]));
	for (uint32_t k = 0; k < s->n_closed; k++) {
		struct sequence *q = scheduler_sequence(&s->is, s->closed[k]);
		members_put_back(&s->is, s->closed[k]);
		q->progress.has_begun = 0;
		remove_started(s, s->closed[k]);
		scheduler_push(&s->is, &s->is.waiting, s->closed[k]);
	}
	for (uint32_t k = 0; k < s->n; k++)
		if (scheduler_sequence(&s->is, s->started[k])->kv.tiers.is_open)
			s->started[n++] = s->started[k];
		else
			scheduler_push(&s->is, &s->is.waiting, s->started[k]);
	s->n = n;
	for (uint32_t k = 0; k < s->n_fresh; k++)
		if (scheduler_sequence(&s->is, s->fresh[k])->kv.tiers.is_open)
			add_started(s, s->fresh[k]);
		else
			scheduler_push(&s->is, &s->is.waiting, s->fresh[k]);
}

/* A prompt that begins is in the step. */
static void note_begun(struct trtllm_v2 *s, uint32_t i)
{
	struct sequence *q = scheduler_sequence(&s->is, i);
	if (q->progress.has_begun)
		return;
	q->progress.has_begun = 1;
	q->progress.is_preempted = 0;
	scheduler_admitted(&s->is, i);
	scheduler_found_cached(&s->is, q, q->progress.full_found);
}

/* Notes the first request that is not over, in case the step is empty. */
static void note_first(struct trtllm_v2 *s)
{
	uint32_t i = queue_first(&s->is.waiting);
	if (s->n && (i == NO_SEQUENCE ||
		     members_by_order(scheduler_sequence(&s->is, s->started[0]),
				      scheduler_sequence(&s->is, i))))
		i = s->started[0];
	if (i != NO_SEQUENCE)
		s->is.first_row = scheduler_sequence(&s->is, i)->request.row;
}

/* Forms the next step: decodes, then prompts. */
static int choose(struct scheduler *is, struct batch *b, sc_step *step)
{
	struct trtllm_v2 *s = v2_of(is);
	scheduler_begin_step(is);
	members_begin(&s->members, b);
	trtllm_v2_choose_decodes(s);
	trtllm_v2_choose_prompts(s);
	wait_for_batch(s);
	sort_prompts(s);
	for (uint32_t k = 0; k < s->n_prompts; k++)
		note_begun(s, s->prompt[k].sequence);
	settle(s);
	if (is->kv.pool.out_of_memory)
		return 0;
	for (uint32_t k = 0; k < s->n_prompts; k++)
		members_add(&s->members, is, s->prompt[k].sequence,
			    s->prompt[k].chunk, 1);
	for (uint32_t k = 0; k < s->n_decoding; k++)
		members_add(&s->members, is, s->decoding[k], 1, 0);
	note_first(s);
	return members_show(&s->members, is, step);
}

/* A prompt is stored as soon as it is launched. */
static void commit(struct scheduler *is, struct batch *b)
{
	struct trtllm_v2 *s = v2_of(is);
	members_commit(&s->members, is);
	for (uint32_t k = 0; k < b->n_members; k++) {
		const struct member *x = &b->member[k];
		if (!x->is_prefill)
			continue;
		struct sequence *q = scheduler_sequence(is, x->sequence);
		kv_tiers_store(&s->kv, &q->kv, q->progress.computed,
			       !q->progress.is_chunk);
	}
}

/* ---- results ---- */

static void leave(struct trtllm_v2 *s, uint32_t i)
{
	struct sequence *q = scheduler_sequence(&s->is, i);
	if (!q->kv.tiers.is_open) {
		queue_remove(&s->is.waiting, s->is.pool, i);
		return;
	}
	kv_tiers_close(&s->kv, &q->kv);
	remove_started(s, i);
}

static void process(struct scheduler *is, struct batch *b, int64_t now)
{
	struct trtllm_v2 *s = v2_of(is);
	members_process(&s->members, b, now);
	members_count_all(b, is, now);
	for (uint32_t k = 0; k < b->n_last; k++) {
		members_forget(&s->members, is, b->last[k]);
		leave(s, b->last[k]);
	}
}

static int withdraw(struct scheduler *is, uint32_t i)
{
	struct trtllm_v2 *s = v2_of(is);
	struct sequence *q = scheduler_sequence(is, i);
	q->generated = q->progress.known - q->request.input_tokens;
	members_forget(&s->members, is, i);
	leave(s, i);
	return 0;
}

static uint32_t running(const struct scheduler *is)
{
	return v2_of(is)->n;
}

static uint32_t list(const struct scheduler *is, struct scheduled *out)
{
	return scheduler_list_members(is, v2_of(is)->members.batch, out);
}

static uint32_t found(struct scheduler *is, struct sequence *q)
{
	return kv_tiers_look(&v2_of(is)->kv, &q->kv,
			     q->request.input_tokens - 1);
}

const struct policy policy_trtllm_v2 = {
    .size = sizeof(struct trtllm_v2),
    .init = init,
    .free = release,
    .choose = choose,
    .commit = commit,
    .process = process,
    .running = running,
    .list = list,
    .withdraw = withdraw,
    .found = found,
};
