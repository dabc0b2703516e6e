/* sglang.c -- Forms the next step of a replica in the way of SGLang's
 * scheduler. */
#include "sim/policy/sglang/sglang.h"
#include <stdlib.h>
#include "base/whole.h"
#include "sim/policy/sglang/sglang_decode.h"
#include "sim/policy/sglang/sglang_pages.h"
#include "sim/policy/sglang/sglang_prompts.h"

/* The share of their output that running requests are expected to need falls
 * from its first value to this part of it, over that many decodes
 * (new_token_ratio in SGLang). */
static const double LEAST_SHARE = 0.14;
enum { FALL_STEPS = 600 };

static struct sglang *sglang_of(const struct scheduler *s)
{
	return (struct sglang *)(uintptr_t)s;
}

static void init(struct scheduler *is)
{
	struct sglang *s = sglang_of(is);
	size_t n = is->e->max_num_seqs;
	s->is_old = is->e->preset == PRESET_SGLANG_056;
	s->evicts_shortfall = is->e->preset == PRESET_SGLANG_2026_08;
	s->running = arrays_add(&is->arrays, n, sizeof *s->running);
	s->last = arrays_add(&is->arrays, n, sizeof *s->last);
	s->order = arrays_add(&is->arrays, n, sizeof *s->order);
	s->coming = arrays_add(&is->arrays, 2 * n + 2, sizeof *s->coming);
	radix_cache_init(&s->tree, sglang_page(s));
	s->chunked = NO_SEQUENCE;
	s->share = s->first_share = is->e->sglang.first_share;
	s->least_share = s->first_share * LEAST_SHARE;
	s->fall = (s->first_share - s->least_share) / FALL_STEPS;
}

static void release(struct scheduler *is)
{
	struct sglang *s = sglang_of(is);
	free(s->rank);
	radix_cache_free(&s->tree);
}

/* ---- a call ---- */

/* The prompts of the last step join the running requests, except those that
 * ended in it and the one in progress. */
static void merge_last(struct sglang *s)
{
	uint32_t before = s->n, n_last = s->n_last;
	s->n_last = 0;
	if (!n_last)
		return;
	for (uint32_t k = 0; k < n_last; k++)
		if (s->last[k] != NO_SEQUENCE && s->last[k] != s->chunked)
			s->running[s->n++] = s->last[k];
	if (before == 0 || s->n - before < n_last)
		s->is_full = 0;
}

static void note_last(struct sglang *s)
{
	const struct batch *b = s->members.batch;
	for (uint32_t k = 0; k < b->n_members; k++)
		s->last[s->n_last++] = b->member[k].sequence;
}

/* What a call without a step may change. */
struct before {
	uint32_t n, n_waiting;
	int is_full;
	double share;
};

static struct before state_of(const struct sglang *s)
{
	return (struct before){s->n, s->is.waiting.n, s->is_full, s->share};
}

/* Nothing was chosen.  If nothing is in flight either, the share begins anew.
 * Returns 1 if another call may choose something. */
static int rest(struct sglang *s, const struct before *was)
{
	int is_idle = !s->is.waiting.n && !s->n && s->chunked == NO_SEQUENCE;
	int is_flying = s->members.newest != NULL;
	if (!is_flying && (s->is_old || is_idle))
		s->share = s->first_share;
	return is_flying || s->n != was->n || s->is_full != was->is_full ||
	       s->is.waiting.n != was->n_waiting || s->share < was->share ||
	       s->share > was->share;
}

/* Nothing is in flight and nothing will change.  In 0.5.6 a retracted request
 * would wait forever if its tokens now begin more pages: it is given up. */
static void give_up_first(struct sglang *s)
{
	struct queue *w = &s->is.waiting;
	if (!w->n || s->n || s->chunked != NO_SEQUENCE)
		return;
	struct sequence *q = scheduler_sequence(&s->is, queue_first(w));
	if (!q->progress.is_preempted)
		return;
	s->is.given_up = queue_first(w);
	queue_pop(w, s->is.pool);
	q->is_unschedulable = 1;
}

/* Forms the next step: prompts if there are any, else decodes. */
static int choose(struct scheduler *is, struct batch *b, sc_step *step)
{
	struct sglang *s = sglang_of(is);
	struct before was = state_of(s);
	scheduler_begin_step(is);
	members_begin(&s->members, b);
	if (s->chunked != NO_SEQUENCE) {
		struct sequence *q = scheduler_sequence(is, s->chunked);
		sglang_keep(s, q, q->progress.computed);
	}
	merge_last(s);
	sglang_form_prompts(s);
	if (b->n_members)
		note_last(s);
	else if (s->n)
		sglang_decode(s);
	if (!b->n_members) {
		is->has_finished = rest(s, &was);
		if (!is->has_finished && is->given_up == NO_SEQUENCE)
			give_up_first(s);
	}
	return members_show(&s->members, is, step);
}

static void commit(struct scheduler *is, struct batch *b)
{
	(void)b;
	members_commit(&sglang_of(is)->members, is);
}

/* ---- results ---- */

static void strike(uint32_t *list, uint32_t n, uint32_t i)
{
	uint32_t k = list_find(list, n, i);
	if (k < n)
		list[k] = NO_SEQUENCE;
}

/* Ends a request that has all its tokens.  It keeps its place among the running
 * ones; in a batch that was formed before, it writes one more token.  0.5.6
 * does not keep what it has made. */
static void end(struct sglang *s, uint32_t i)
{
	struct sequence *q = scheduler_sequence(&s->is, i);
	sglang_leave(s, q, s->is_old ? q->radix.end : q->progress.computed);
	strike(s->running, s->n, i);
	strike(s->last, s->n_last, i);
	members_forget(&s->members, &s->is, i);
}

/* Keeps the tokens that were processed. */
static int withdraw(struct scheduler *is, uint32_t i)
{
	struct sglang *s = sglang_of(is);
	struct sequence *q = scheduler_sequence(is, i);
	struct progress *g = &q->progress;
	q->generated = g->known - q->request.input_tokens;
	if (scheduler_leave_queue(is, &is->waiting, i)) {
		members_forget(&s->members, is, i);
		return 0;
	}
	g->computed -= whole_min(g->in_flight, g->computed);
	if (s->chunked == i)
		s->chunked = NO_SEQUENCE;
	q->radix.end = whole_min(q->radix.end, g->computed);
	end(s, i);
	return 0;
}

/* Takes the results of a step: ends requests, and keeps the prompts that are
 * complete in the tree. */
static void process(struct scheduler *is, struct batch *b, int64_t now)
{
	struct sglang *s = sglang_of(is);
	members_process(&s->members, b, now);
	for (uint32_t k = 0; k < b->n_members; k++) {
		const struct member *m = &b->member[k];
		if (m->sequence == NO_SEQUENCE)
			continue;
		struct sequence *q = scheduler_sequence(is, m->sequence);
		if (members_count(b, is, m, now))
			end(s, m->sequence);
		else if (m->is_prefill && m->makes_token)
			sglang_keep(s, q, q->radix.end);
	}
	sglang_count_pages(s);
}

/* ---- the policy ---- */

static void clear_cache(struct scheduler *is)
{
	radix_cache_evict(&sglang_of(is)->tree, UINT64_MAX);
}

static uint32_t running(const struct scheduler *is)
{
	return sglang_of(is)->n_seated;
}

static uint32_t list(const struct scheduler *is, struct scheduled *out)
{
	return scheduler_list_members(is, sglang_of(is)->members.batch, out);
}

static uint32_t found(struct scheduler *is, struct sequence *q)
{
	struct sglang *s = sglang_of(is);
	uint32_t node;
	return sglang_find(s, q, q->request.input_tokens - 1, &node) *
	       sglang_page(s);
}

const struct policy policy_sglang = {
    .size = sizeof(struct sglang),
    .init = init,
    .free = release,
    .choose = choose,
    .commit = commit,
    .process = process,
    .running = running,
    .list = list,
    .withdraw = withdraw,
    .clear_cache = clear_cache,
    .found = found,
    .shows_at_end = 1,
    .may_lose = 1,
};
