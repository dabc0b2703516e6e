/* trtllm.c -- Forms the next step of a replica in the way of TensorRT-LLM's
 * scheduler. */
#include "sim/policy/trtllm/trtllm.h"
#include "sim/policy/trtllm/trtllm_blocks.h"
#include "sim/policy/trtllm/trtllm_capacity.h"
#include "sim/policy/trtllm/trtllm_step.h"

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

static void init(struct scheduler *is)
{
	struct trtllm *s = trtllm_of(is);
	size_t n = is->e->max_num_seqs;
	s->is_steady = !is->may_leave && can_be_steady(is->e);
	s->has_tree = is->kv.finds && !is->kv.has_windows;
	if (s->has_tree)
		kv_tree_init(&s->tree, &is->kv, (int)is->e->trtllm.finds_parts,
			     is->e->trtllm.capacity ==
				 CAPACITY_MAX_UTILIZATION);
	is->waiting.before = members_by_order;
	s->started = arrays_add(&is->arrays, n, sizeof *s->started);
	s->fit = arrays_add(&is->arrays, n, sizeof *s->fit);
	s->fresh = arrays_add(&is->arrays, n, sizeof *s->fresh);
	s->paused = arrays_add(&is->arrays, n, sizeof *s->paused);
	s->decoding = arrays_add(&is->arrays, n, sizeof *s->decoding);
	s->computed = arrays_add(&is->arrays, n, sizeof *s->computed);
	s->prompt = arrays_add(&is->arrays, n, sizeof *s->prompt);
	s->sorted = arrays_add(&is->arrays, n, sizeof *s->sorted);
	s->claim = arrays_add(&is->arrays, n, sizeof *s->claim);
	decodes_init(&s->decodes, is);
}

static void release(struct scheduler *is)
{
	kv_tree_free(&trtllm_of(is)->tree);
}

/* ---- a step ---- */

/* Puts a request back into the queue, unless the step has started it. */
static void wait_again(struct trtllm *s, uint32_t i)
{
	if (!trtllm_is_started(scheduler_sequence(&s->is, i)))
		scheduler_push(&s->is, &s->is.waiting, i);
}

/* The blocks of the step; afterwards its prompts are known for certain. */
static void prepare(struct trtllm *s)
{
	trtllm_begin_prompts(s);
	if (s->is_steady)
		decodes_run(&s->decodes, &s->is, s->members.batch);
	for (uint32_t k = 0; k < s->n_decoding; k++)
		trtllm_cover_decode(s,
				    scheduler_sequence(&s->is, s->decoding[k]));
	trtllm_sort_prompts(s);
	trtllm_trim(s);
}

/* Notes the first request that is not over, in case the step is empty. */
static void note_first(struct trtllm *s)
{
	uint32_t w = queue_first(&s->is.waiting), i = w;
	if (!s->is_steady && s->n &&
	    (w == NO_SEQUENCE || trtllm_is_before(s, s->started[0], w)))
		i = s->started[0];
	if (i != NO_SEQUENCE)
		s->is.first_row = scheduler_sequence(&s->is, i)->request.row;
}

/* Forms the next step: first the requests that fit in memory, then those of
 * them that fit in the step. */
static int choose(struct scheduler *is, struct batch *b, sc_step *step)
{
	struct trtllm *s = trtllm_of(is);
	scheduler_begin_step(is);
	members_begin(&s->members, b);
	trtllm_choose_fitting(s);
	trtllm_choose_step(s);
	trtllm_give_back_paused(s);
	if (!is->death)
		prepare(s);
	if (is->death || is->kv.pool.out_of_memory)
		return 0;
	for (uint32_t k = 0; k < s->n_prompts; k++)
		members_add(&s->members, is, s->prompt[k].is.sequence,
			    s->prompt[k].chunk, 1);
	for (uint32_t k = 0; k < s->n_decoding; k++)
		members_add(&s->members, is, s->decoding[k], 1, 0);
	for (uint32_t k = 0; k < s->n_fresh; k++)
		wait_again(s, s->fresh[k]);
	for (uint32_t k = 0; k < s->n_paused; k++)
		wait_again(s, s->paused[k]);
	note_first(s);
	return members_show(&s->members, is, step);
}

static void commit(struct scheduler *is, struct batch *b)
{
	struct trtllm *s = trtllm_of(is);
	members_commit(&s->members, is);
	if (s->is_steady)
		decodes_commit(&s->decodes, is, b);
}

/* ---- results ---- */

/* Ends a request and gives back its blocks. */
static void end(struct trtllm *s, uint32_t i)
{
	struct sequence *q = scheduler_sequence(&s->is, i);
	if (!s->is_steady)
		members_forget(&s->members, &s->is, i);
	if (q->progress.is_preempted) {
		queue_remove(&s->is.waiting, s->is.pool, i);
		return;
	}
	q->progress.known = progress_end(&q->progress);
	trtllm_give_back(s, q);
	if (s->is_steady)
		s->reserved -= trtllm_blocks_at_end(s, q);
	else
		trtllm_remove_started(s, i);
	s->n--;
}

/* Takes the results of a step: ends requests, and stores complete prompts. */
static void process(struct scheduler *is, struct batch *b, int64_t now)
{
	struct trtllm *s = trtllm_of(is);
	members_process(&s->members, b, now);
	if (s->is_steady)
		decodes_process(&s->decodes, is, b);
	members_count_all(b, is, now);
	for (uint32_t k = 0; k < b->n_last; k++)
		end(s, b->last[k]);
	for (uint32_t k = 0; k < b->n_members; k++) {
		const struct member *x = &b->member[k];
		if (!x->is_prefill || x->sequence == NO_SEQUENCE)
			continue;
		struct sequence *q = scheduler_sequence(is, x->sequence);
		if (trtllm_is_started(q))
			trtllm_store(s, q);
	}
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
	trtllm_give_back(s, q);
	trtllm_remove_started(s, i);
	s->n--;
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

static uint32_t found(struct scheduler *is, struct sequence *q)
{
	struct trtllm *s = trtllm_of(is);
	uint32_t prompt = q->request.input_tokens - 1;
	return s->has_tree
		   ? kv_tree_look(&s->tree, &q->kv, prompt).found * s->tree.unit
		   : scheduler_found(is, q);
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
    .found = found,
};
