/* sglang_prompts.c -- Forms steps of prompts. */
#include "sim/policy/sglang/sglang_prompts.h"
#include "sim/policy/sglang/sglang_decode.h"
#include "sim/policy/sglang/sglang_pages.h"
#include "sim/policy/sglang/sglang_queue.h"

enum added { ADDED, FULL, NO_MORE };

/* ---- budgets ---- */

/* Returns how many requests the step may have.  A prompt in progress holds a
 * slot and is in the step; the later rules count it for both. */
static int64_t seats(const struct sglang *s)
{
	int64_t all = s->is.e->max_num_seqs;
	uint32_t taken = s->n, seated = s->n_seated - s->is.n_admitted;
	if (!s->is_old && seated > taken)
		taken = seated;
	return all - taken;
}

static int64_t tokens_left(const struct sglang *s)
{
	return sglang_pages_left(s) * sglang_page(s);
}

/* Returns the tokens left after the reserve of running requests. */
static double left_in_all(const struct sglang *s)
{
	return (double)tokens_left(s) - s->total_charged;
}

static int64_t left_now(const struct sglang *s)
{
	return tokens_left(s) - s->now_charged;
}

/* Since February 2026 each prompt is charged with a page more. */
static int64_t page_more(const struct sglang *s)
{
	return s->is_old ? 0 : sglang_page(s);
}

static int64_t paged(const struct sglang *s, int64_t tokens)
{
	return (int64_t)sglang_pages_of(s, (uint32_t)tokens) * sglang_page(s);
}

static void charge(struct sglang *s, int64_t tokens, int64_t future)
{
	int64_t n = paged(s, tokens);
	s->total_charged += (double)(n + future + page_more(s));
	s->now_charged += n + page_more(s);
	s->rem_input -= n;
	s->rem_chunk -= n;
}

static int mixes(const struct sglang *s)
{
	return s->is.e->sglang.mixes && s->is.e->sglang.chunk;
}

static void open_budgets(struct sglang *s)
{
	const struct sglang_rules *r = &s->is.e->sglang;
	int64_t beside = mixes(s) ? s->n : 0;
	double reserved = 0;
	for (uint32_t k = 0; k < s->n; k++)
		if (s->running[k] != NO_SEQUENCE)
			reserved +=
			    sglang_share(s, sglang_at(s, s->running[k]));
	s->rem_input = (int64_t)r->max_prefill_tokens - beside;
	s->rem_chunk = r->chunk ? (int64_t)r->chunk - beside : SGLANG_NO_BOUND;
	s->now_charged = beside;
	s->total_charged = (double)beside + reserved;
	s->n_coming = 0;
}

/* ---- the prompt in progress ---- */

/* Returns how many tokens of it come next.  The later rules ignore the reserve
 * if it leaves none. */
static int64_t next_chunk(const struct sglang *s, const struct progress *q)
{
	double left = left_in_all(s);
	int64_t n = s->rem_chunk, rest = (int64_t)q->known - q->computed;
	if ((double)n > left)
		n = (int64_t)left;
	if (n <= 0 && !s->is_old)
		n = s->rem_chunk;
	return n < rest ? n : rest;
}

/* Schedules its next chunk.  Returns 0 if it has to wait: SGLang would form a
 * step that it cannot compute. */
static int continue_chunked(struct sglang *s)
{
	uint32_t i = s->chunked;
	const struct sequence *q = scheduler_sequence(&s->is, i);
	const struct progress *g = &q->progress;
	int64_t n = next_chunk(s, g);
	if (n <= 0 || (int64_t)sglang_pages_of(s, g->computed + (uint32_t)n) -
			      q->radix.pages >
			  sglang_pages_left(s))
		return 0;
	members_add(&s->members, &s->is, i, (uint32_t)n, 1);
	int is_last = g->computed + n == g->known;
	charge(s, n, is_last ? sglang_future(q) : 0);
	if (is_last)
		s->chunked = NO_SEQUENCE;
	return 1;
}

/* ---- waiting requests ---- */

/* Adds the first waiting request, with n tokens behind the pages that were
 * found; its prefix is locked.  future: what it is charged for its output; -1:
 * this is a chunk. */
static enum added admit(struct sglang *s, uint32_t found, uint32_t node,
			int64_t n, int64_t future)
{
	uint32_t i = queue_first(&s->is.waiting);
	struct sequence *q = scheduler_sequence(&s->is, i);
	q->radix.node = node;
	q->radix.in_tree = q->radix.pages = found;
	q->progress.computed = found * sglang_page(s);
	q->progress.is_preempted = 0;
	scheduler_found_cached(&s->is, q, q->progress.computed);
	queue_pop(&s->is.waiting, s->is.pool);
	scheduler_admitted(&s->is, i);
	members_add(&s->members, &s->is, i, (uint32_t)n, 1);
	s->n_seated++;
	if (future < 0)
		s->chunked = i;
	charge(s, n, future < 0 ? 0 : future);
	if (left_in_all(s) <= 0 || left_now(s) <= 0)
		return FULL;
	return s->rem_input <= 0 || s->rem_chunk <= 0 ? NO_MORE : ADDED;
}

/* Adds it if its x tokens, and what it is expected to make, fit. */
static enum added add_expected(struct sglang *s, struct sequence *q,
			       uint32_t found, uint32_t node)
{
	uint32_t page = sglang_page(s);
	int64_t x = (int64_t)q->progress.known - (int64_t)found * page;
	int64_t need = x + sglang_expected(q) + page_more(s);
	if ((double)need >= left_in_all(s))
		return FULL;
	if ((s->is_old || !s->is.e->sglang.chunk) &&
	    s->members.batch->n_members && paged(s, x) >= s->rem_input)
		return NO_MORE;
	radix_cache_lock(&s->tree, node);
	if ((double)need >= left_in_all(s)) {
		radix_cache_unlock(&s->tree, node);
		return FULL;
	}
	if (paged(s, x) <= s->rem_chunk)
		return admit(s, found, node, x, sglang_future(q));
	if (s->rem_chunk >= page)
		return admit(s, found, node, s->rem_chunk / page * page, -1);
	radix_cache_unlock(&s->tree, node);
	return NO_MORE;
}

/* ---- without a tree, where lengths are certain ---- */

static int by_left(const void *x, const void *y)
{
	const struct sglang_coming *a = x, *b = y;
	return a->left < b->left ? -1 : a->left > b->left;
}

static void put_coming(struct sglang *s, uint32_t at, const struct sequence *q)
{
	int64_t left = (int64_t)q->progress.most - q->progress.known;
	for (uint32_t k = s->n_coming++; k > at; k--)
		s->coming[k] = s->coming[k - 1];
	s->coming[at] = (struct sglang_coming){left, q->progress.known};
}

/* Puts it before the first that is not smaller; before the last if all are. */
static void insert_coming(struct sglang *s, const struct sequence *q)
{
	int64_t left = (int64_t)q->progress.most - q->progress.known;
	uint32_t at = 0;
	while (at + 1 < s->n_coming && s->coming[at].left < left)
		at++;
	put_coming(s, at, q);
}

/* Sorts, and keeps equal ones in order. */
static void sort_coming(struct sglang *s)
{
	int is_sorted = 1;
	for (uint32_t k = 1; k < s->n_coming; k++)
		is_sorted &= by_left(&s->coming[k - 1], &s->coming[k]) <= 0;
	for (uint32_t k = 1; !is_sorted && k < s->n_coming; k++) {
		struct sglang_coming x = s->coming[k];
		uint32_t at = k;
		for (; at > 0 && s->coming[at - 1].left > x.left; at--)
			s->coming[at] = s->coming[at - 1];
		s->coming[at] = x;
	}
}

static void list_coming(struct sglang *s, const struct sequence *q)
{
	const struct batch *b = s->members.batch;
	put_coming(s, s->n_coming, q);
	for (uint32_t k = 0; k < s->n; k++)
		if (s->running[k] != NO_SEQUENCE &&
		    sglang_expected(sglang_at(s, s->running[k])) > 0)
			put_coming(s, s->n_coming, sglang_at(s, s->running[k]));
	for (uint32_t k = 0; k < b->n_members; k++)
		put_coming(s, s->n_coming,
			   scheduler_sequence(&s->is, b->member[k].sequence));
	sort_coming(s);
}

/* Returns 1 if memory lasts until each of them ends. */
static int will_last(const struct sglang *s, int64_t room)
{
	for (uint32_t k = 0; k < s->n_coming; k++) {
		int64_t n = s->n_coming - k;
		if (room - s->coming[k].left * n <= n)
			return 0;
		room += s->coming[k].known;
	}
	return 1;
}

static enum added add_certain(struct sglang *s, struct sequence *q)
{
	int64_t known = q->progress.known, n = paged(s, known);
	if (n > left_now(s) || (double)n > left_in_all(s))
		return FULL;
	if (s->n_coming)
		insert_coming(s, q);
	else
		list_coming(s, q);
	if (!will_last(s, left_now(s) - n))
		return FULL;
	if (known <= s->rem_chunk)
		return admit(s, 0, 0, known, sglang_future(q));
	return s->rem_chunk > 0 ? admit(s, 0, 0, s->rem_chunk, -1) : NO_MORE;
}

static enum added add_one(struct sglang *s)
{
	struct sequence *q =
	    scheduler_sequence(&s->is, queue_first(&s->is.waiting));
	uint32_t node, found = sglang_find(s, q, q->progress.known - 1, &node);
	q->radix.looked = q->progress.known;
	q->radix.looked_prefix = found * sglang_page(s);
	return engine_lengths_are_certain(s->is.e)
		   ? add_certain(s, q)
		   : add_expected(s, q, found, node);
}

static int preempts(const struct sglang *s)
{
	return s->is.e->sglang.has_priorities && !s->is.e->sglang.keeps_seats;
}

static void add_waiting(struct sglang *s)
{
	while (s->is.waiting.n) {
		if (s->members.batch->n_members >= seats(s))
			s->is_full = 1;
		if (s->is_full &&
		    !(preempts(s) &&
		      sglang_preempt_for(s, queue_first(&s->is.waiting),
					 left_in_all(s))))
			return;
		enum added is = add_one(s);
		if (is == FULL)
			s->is_full = 1;
		if (is != ADDED)
			return;
	}
}

/* ---- the step ---- */

/* Takes pages for the prompts of the step. */
static void take_prompts(struct sglang *s)
{
	const struct batch *b = s->members.batch;
	uint64_t tokens = 0, page = sglang_page(s);
	for (uint32_t k = 0; k < b->n_members; k++)
		tokens += b->member[k].new_tokens + (page > 1 ? page : 0);
	sglang_make_room(s, tokens);
	for (uint32_t k = 0; k < b->n_members; k++) {
		const struct member *m = &b->member[k];
		struct sequence *q = scheduler_sequence(&s->is, m->sequence);
		q->radix.end = m->context + m->new_tokens;
		sglang_take(s, q,
			    sglang_pages_of(s, q->radix.end) - q->radix.pages);
	}
}

static void add_prompts(struct sglang *s)
{
	int has_chunk = s->chunked != NO_SEQUENCE;
	if (preempts(s))
		s->is_full = 0;
	if ((s->is_full || !s->is.waiting.n) && !has_chunk)
		return;
	if (seats(s) <= 0 && !has_chunk && !preempts(s)) {
		s->is_full = 1;
		return;
	}
	sglang_sort_waiting(s);
	open_budgets(s);
	if (!has_chunk || continue_chunked(s))
		add_waiting(s);
}

void sglang_form_prompts(struct sglang *s)
{
	s->n_preempted = 0;
	add_prompts(s);
	for (uint32_t k = 0; k < s->n_preempted; k++)
		sglang_wait(s, s->order[k]);
	if (!s->members.batch->n_members)
		return;
	take_prompts(s);
	if (mixes(s))
		sglang_mix(s);
}
