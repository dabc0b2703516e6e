/* sglang.c -- Forms the next step of a replica in the way of SGLang's
 * scheduler. */
#include <config.h>
#include "sim/policy/sglang.h"
#include <stdlib.h>
#include "base/whole.h"
#include "sim/policy/sglang_pages.h"

enum {
	MOST_COMING = 4096, /* cap on the expected output of a request */
	LPM_QUEUE = 128,    /* longer queues are served in order of arrival */
	SHARED_TOKENS = 32, /* a longer shared prefix is worth waiting for */
	RETRACT_STEPS = 20, /* future decodes assumed when the share is set */
	FALL_STEPS = 600,   /* steps from the first share to the least one */
	LEAST_PERCENT = 14, /* the least share, of the first one */
};
#define WHOLE_PPB INT64_C(1000000000)

static struct sglang *sglang_of(const struct scheduler *s)
{
	return (struct sglang *)(uintptr_t)s;
}

static int64_t min64(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void restart_share(struct sglang *s)
{
	s->share_ppb = s->is.e->sglang.reserve_ppb;
}

static int init(struct scheduler *is)
{
	struct sglang *s = sglang_of(is);
	size_t n = is->e->max_num_seqs;
	s->running = malloc(n * sizeof *s->running);
	s->order = malloc((n > LPM_QUEUE ? n : LPM_QUEUE) * sizeof *s->order);
	s->chunked = NO_SEQUENCE;
	restart_share(s);
	s->least_ppb = s->share_ppb * LEAST_PERCENT / 100;
	s->fall_ppb = (s->share_ppb - s->least_ppb) / FALL_STEPS;
	return s->running && s->order ? 0 : -1;
}

static void release(struct scheduler *is)
{
	struct sglang *s = sglang_of(is);
	free(s->running);
	free(s->order);
	radix_free(&s->tree);
}

/* ---- prompts ---- */

/* Returns the expected number of further output tokens. */
static int64_t coming(const struct progress *q)
{
	return min64(q->most - q->known, MOST_COMING);
}

static int64_t left_now(const struct sglang *s)
{
	return sglang_pages_left(s) * sglang_page(s) - s->now_charged;
}

/* Returns the tokens left after the reserve of running requests. */
static int64_t left_in_all(const struct sglang *s)
{
	return sglang_pages_left(s) * sglang_page(s) - s->total_charged;
}

/* Returns the tokens that running requests reserve. */
static int64_t reserved(const struct sglang *s)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < s->n; i++)
		sum += coming(
		    &scheduler_sequence(&s->is, s->running[i])->progress);
	return sum * s->share_ppb / WHOLE_PPB;
}

static void charge(struct sglang *s, uint32_t tokens, int64_t future)
{
	int64_t n = (int64_t)sglang_pages_of(s, tokens) * sglang_page(s);
	s->total_charged += n + future + sglang_page(s);
	s->now_charged += n + sglang_page(s);
	s->rem_input -= n;
	s->rem_chunk -= n;
}

/* Returns the tokens that a complete prompt is charged for its output. */
static int64_t future_of(const struct sglang *s, uint32_t i)
{
	return min64(scheduler_sequence(&s->is, i)->request.output_tokens,
		     MOST_COMING);
}

/* Schedules the next chunk of the prompt in progress. */
static void continue_chunked(struct sglang *s)
{
	uint32_t i = s->chunked;
	const struct progress *q = &scheduler_sequence(&s->is, i)->progress;
	int64_t rest = q->known - q->computed;
	int64_t n = min64(rest, min64(s->rem_chunk, left_in_all(s)));
	if (n < rest)
		n = n / sglang_page(s) * sglang_page(s);
	if (n <= 0)
		return;
	members_add(&s->members, &s->is, i, (uint32_t)n, 1);
	charge(s, (uint32_t)n, n == rest ? future_of(s, i) : 0);
	if (n == rest)
		s->chunked = NO_SEQUENCE;
}

/* Returns how many pages of its first tokens the tree has, and the node where
 * they end; the last token is always computed. */
static uint32_t find(struct sglang *s, struct sequence *q, uint32_t tokens,
		     uint32_t *node)
{
	uint32_t n = (tokens - 1) / sglang_page(s), found = 0;
	const uint64_t *key = sglang_keys(s, q, n);
	*node = 0;
	if (key)
		*node = radix_find(&s->tree, key, n, &found);
	return found;
}

/* Adds the request to the step with n tokens behind the pages that were
 * found. */
static void admit(struct sglang *s, uint32_t i, uint32_t found, uint32_t node,
		  uint32_t n)
{
	struct sequence *q = scheduler_sequence(&s->is, i);
	q->radix = (struct radix_owner){node, found, found};
	q->progress.computed = found * sglang_page(s);
	q->progress.is_preempted = 0;
	scheduler_found_cached(&s->is, q, q->progress.computed);
	if (queue_first(&s->is.waiting) == i)
		queue_pop(&s->is.waiting, s->is.pool);
	else
		queue_remove(&s->is.waiting, s->is.pool, i);
	scheduler_admitted(&s->is, i);
	members_add(&s->members, &s->is, i, n, 1);
}

enum added { ADDED, ADDED_AS_LAST, FULL, NO_MORE };

/* Decides whether the request fits; its prefix is locked.  *n: its tokens in
 * the step; 0: none. */
static enum added fit(struct sglang *s, const struct sequence *q,
		      uint32_t found, uint32_t *n)
{
	const struct progress *g = &q->progress;
	int64_t x = g->known - (int64_t)found * sglang_page(s);
	int64_t paged =
	    (int64_t)sglang_pages_of(s, (uint32_t)x) * sglang_page(s);
	if (paged + coming(g) + sglang_page(s) >= left_in_all(s))
		return FULL;
	if (s->members.batch->n_members && x >= s->rem_input)
		return NO_MORE;
	*n = (uint32_t)x;
	if (x <= s->rem_chunk)
		return ADDED;
	int64_t chunk = s->rem_chunk / sglang_page(s) * sglang_page(s);
	*n = (uint32_t)chunk;
	return chunk > 0 ? ADDED_AS_LAST : NO_MORE;
}

static enum added add_one(struct sglang *s, uint32_t i)
{
	struct sequence *q = scheduler_sequence(&s->is, i);
	uint32_t node, n = 0, found = find(s, q, q->progress.known, &node);
	radix_lock(&s->tree, node);
	enum added is = fit(s, q, found, &n);
	if (is == FULL || is == NO_MORE) {
		radix_unlock(&s->tree, node);
		return is;
	}
	admit(s, i, found, node, n);
	if (is == ADDED_AS_LAST) {
		s->chunked = i;
		charge(s, n, 0);
		return is;
	}
	charge(s, n, future_of(s, i));
	if (left_in_all(s) <= 0 || left_now(s) <= 0)
		s->is_full = 1;
	return s->is_full || s->rem_input <= 0 || s->rem_chunk <= 0
		   ? ADDED_AS_LAST
		   : ADDED;
}

/* ---- the order of waiting requests ---- */

struct ranked {
	uint32_t sequence, place, found;
	int is_late;
};

static int by_found(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;
	if (a->is_late != b->is_late)
		return a->is_late - b->is_late;
	if (!a->is_late && a->found != b->found)
		return a->found < b->found ? 1 : -1;
	return a->place < b->place ? -1 : 1;
}

/* Returns the key of the shortest prefix of whole pages beyond SHARED_TOKENS;
 * 0: it has none. */
static uint64_t shared_key(struct sglang *s, struct sequence *q)
{
	uint32_t n = SHARED_TOKENS / sglang_page(s) + 1;
	if (q->progress.known / sglang_page(s) < n)
		return 0;
	const uint64_t *key = sglang_keys(s, q, n);
	return key ? key[n - 1] : 0;
}

/* Orders waiting requests in s->order, the longest found prefix first.  A
 * request goes last if another one is about to compute its prefix.  Returns how
 * many. */
static uint32_t rank_waiting(struct sglang *s)
{
	struct ranked by[LPM_QUEUE];
	uint64_t first[LPM_QUEUE];
	uint32_t n = s->is.waiting.n, n_first = 0, node;
	for (uint32_t k = 0; k < n; k++) {
		uint32_t i = queue_at(&s->is.waiting, k);
		struct sequence *q = scheduler_sequence(&s->is, i);
		uint32_t found =
		    find(s, q, q->progress.known, &node) * sglang_page(s);
		by[k] = (struct ranked){i, k, found, 0};
		uint64_t key = found <= SHARED_TOKENS ? shared_key(s, q) : 0;
		for (uint32_t j = 0; key && j < n_first; j++)
			by[k].is_late |= first[j] == key;
		if (key && !by[k].is_late)
			first[n_first++] = key;
	}
	qsort(by, n, sizeof *by, by_found);
	for (uint32_t k = 0; k < n; k++)
		s->order[k] = by[k].sequence;
	return n;
}

/* Admits waiting requests while resources last. */
static void add_waiting(struct sglang *s)
{
	uint32_t n = 0;
	int ranked = s->is.e->sglang.policy == SCHEDULE_LPM &&
		     s->is.kv.caching && s->is.waiting.n <= LPM_QUEUE;
	if (ranked)
		n = rank_waiting(s);
	for (uint32_t k = 0; ranked ? k < n : s->is.waiting.n > 0; k++) {
		uint32_t i = ranked ? s->order[k] : queue_first(&s->is.waiting);
		if (s->n + s->members.batch->n_members >=
		    s->is.e->max_num_seqs) {
			s->is_full = 1;
			return;
		}
		enum added is = add_one(s, i);
		if (is == FULL)
			s->is_full = 1;
		if (is != ADDED)
			return;
	}
}

/* Takes pages for the prompts of the step; complete prompts become running
 * requests. */
static void take_prompts(struct sglang *s)
{
	const struct batch *b = s->members.batch;
	for (uint32_t k = 0; k < b->n_members; k++) {
		const struct member *m = &b->member[k];
		struct sequence *q = scheduler_sequence(&s->is, m->sequence);
		uint32_t tokens = m->context + m->new_tokens;
		sglang_take(s, q, sglang_pages_of(s, tokens) - q->radix.pages);
	}
	for (uint32_t k = 0; k < b->n_members; k++) {
		const struct member *m = &b->member[k];
		if (m->sequence != s->chunked)
			s->running[s->n++] = m->sequence;
	}
}

static void add_prompts(struct sglang *s)
{
	const struct sglang_rules *r = &s->is.e->sglang;
	int64_t beside = r->mixes ? s->n : 0;
	if ((s->is_full || !s->is.waiting.n) && s->chunked == NO_SEQUENCE)
		return;
	s->rem_input = (int64_t)r->max_prefill_tokens - beside;
	s->rem_chunk = r->chunk ? (int64_t)r->chunk - beside : SGLANG_NO_BOUND;
	s->now_charged = 0;
	s->total_charged = reserved(s);
	if (s->chunked != NO_SEQUENCE)
		continue_chunked(s);
	if (!s->is_full)
		add_waiting(s);
}

/* ---- decodes ---- */

/* Returns how many new pages begin if the first n running requests make a
 * token. */
static int64_t decode_pages(const struct sglang *s, uint32_t n)
{
	int64_t pages = 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct sequence *q =
		    scheduler_sequence(&s->is, s->running[i]);
		pages +=
		    q->progress.computed == q->radix.pages * sglang_page(s);
	}
	return pages;
}

/* Returns 1 if a gives way before b: it has made fewer tokens, or its prompt is
 * longer. */
static int gives_way(const struct sequence *a, const struct sequence *b)
{
	uint32_t x = a->progress.known - a->request.input_tokens;
	uint32_t y = b->progress.known - b->request.input_tokens;
	if (x != y)
		return x < y;
	return a->request.input_tokens > b->request.input_tokens;
}

/* Orders running requests in s->order, the first to give way at the end; equal
 * ones stay in order. */
static void rank_running(struct sglang *s)
{
	for (uint32_t k = 0; k < s->n; k++) {
		uint32_t i = s->running[k], at = k;
		for (; at > 0 &&
		       gives_way(scheduler_sequence(&s->is, s->order[at - 1]),
				 scheduler_sequence(&s->is, i));
		     at--)
			s->order[at] = s->order[at - 1];
		s->order[at] = i;
	}
}

static void remove_running(struct sglang *s, uint32_t i)
{
	list_remove(s->running, &s->n, list_find(s->running, s->n, i));
}

static void retract_one(struct sglang *s, uint32_t i)
{
	struct sequence *q = scheduler_sequence(&s->is, i);
	remove_running(s, i);
	sglang_give_back(s, q, 0);
	members_forget(&s->members, &s->is, i);
	members_put_back(&s->is, i);
	s->is_full = 0;
	scheduler_push(&s->is, &s->is.waiting, i);
}

/* Sets the share as if each remaining request made RETRACT_STEPS more
 * tokens. */
static void raise_share(struct sglang *s)
{
	int64_t made = (int64_t)RETRACT_STEPS * s->n, most = 1;
	for (uint32_t i = 0; i < s->n; i++) {
		const struct sequence *q =
		    scheduler_sequence(&s->is, s->running[i]);
		made += q->progress.known - q->request.input_tokens;
		most += q->request.output_tokens;
	}
	s->share_ppb = made < most ? made * WHOLE_PPB / most : WHOLE_PPB;
}

/* The last running request stays, unless a prompt in progress can continue
 * without it. */
static int can_retract(const struct sglang *s)
{
	return s->n > 1 || (s->n == 1 && s->chunked != NO_SEQUENCE);
}

static int is_short(const struct sglang *s)
{
	return decode_pages(s, s->n) > sglang_pages_left(s);
}

static void retract(struct sglang *s)
{
	rank_running(s);
	do
		retract_one(s, s->order[s->n - 1]);
	while (can_retract(s) && is_short(s));
	if (s->n)
		raise_share(s);
}

static void decode_all(struct sglang *s, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++) {
		uint32_t i = s->running[k];
		struct sequence *q = scheduler_sequence(&s->is, i);
		if (q->progress.computed == q->radix.pages * sglang_page(s))
			sglang_take(s, q, 1);
		members_add(&s->members, &s->is, i, 1, 0);
	}
}

static void decode(struct sglang *s)
{
	if (is_short(s)) {
		/* The last one waits for pages that batches in flight still
		 * use. */
		if (!can_retract(s))
			return;
		retract(s);
	} else {
		int64_t next = s->share_ppb - s->fall_ppb;
		s->share_ppb = next > s->least_ppb ? next : s->least_ppb;
	}
	decode_all(s, s->n);
}

/* ---- the policy ---- */

static int choose(struct scheduler *is, struct batch *b, sc_step *step)
{
	struct sglang *s = sglang_of(is);
	uint32_t n = s->n;
	scheduler_begin_step(is);
	members_begin(&s->members, b);
	if (is->was_idle)
		restart_share(s);
	is->was_idle = 0;
	add_prompts(s);
	if (b->n_members) {
		take_prompts(s);
		if (is->e->sglang.mixes &&
		    decode_pages(s, n) <= sglang_pages_left(s))
			decode_all(s, n);
	} else if (s->n) {
		decode(s);
	} else if (s->is_full) {
		s->is_full = 0;
		is->has_finished = 1;
	}
	return members_show(&s->members, is, step);
}

static void commit(struct scheduler *is, struct batch *b)
{
	(void)b;
	members_commit(&sglang_of(is)->members, is);
}

/* Ends a request that has all its tokens.  In a batch that was formed before,
 * it writes one more token. */
static void end(struct sglang *s, uint32_t i)
{
	struct sequence *q = scheduler_sequence(&s->is, i);
	uint32_t begun =
	    q->progress.computed % sglang_page(s) == 1 || sglang_page(s) == 1;
	struct batch *ahead = s->members.newest;
	uint32_t kept = 0;
	sglang_keep(s, q, q->progress.most - 1);
	remove_running(s, i);
	s->is_full = 0;
	if (members_forget(&s->members, &s->is, i) && begun)
		kept = 1;
	sglang_give_back(s, q, kept);
	if (kept)
		ahead->n_kept++;
}

static void process(struct scheduler *is, struct batch *b, int64_t now)
{
	struct sglang *s = sglang_of(is);
	members_process(&s->members, b, now);
	is->has_finished |= b->n_kept > 0;
	s->own_pages -= b->n_kept;
	b->n_kept = 0;
	for (uint32_t k = 0; k < b->n_members; k++) {
		const struct member *m = &b->member[k];
		if (m->sequence == NO_SEQUENCE)
			continue;
		if (m->is_prefill)
			sglang_keep(s, scheduler_sequence(&s->is, m->sequence),
				    m->context + m->new_tokens);
		if (members_count(b, is, m, now))
			end(s, m->sequence);
	}
	sglang_count_pages(s);
}

static uint32_t running(const struct scheduler *is)
{
	const struct sglang *s = sglang_of(is);
	return s->n + (s->chunked != NO_SEQUENCE);
}

static uint32_t list(const struct scheduler *is, struct scheduled *out)
{
	return scheduler_list_members(is, sglang_of(is)->members.batch, out);
}

static uint32_t found(struct scheduler *is, struct sequence *q)
{
	struct sglang *s = sglang_of(is);
	uint32_t node;
	return find(s, q, q->request.input_tokens, &node) * sglang_page(s);
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
    .found = found,
};
