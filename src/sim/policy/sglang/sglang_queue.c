/* sglang_queue.c -- Sorts waiting requests, and finds seats for the more
 * important ones. */
#include "sim/policy/sglang/sglang_queue.h"
#include <stdlib.h>
#include "sim/policy/sglang/sglang_decode.h"
#include "sim/policy/sglang/sglang_pages.h"

enum {
	LPM_QUEUE = 128,    /* longer queues are served in order of arrival */
	SHARED_TOKENS = 32, /* a prefix this long is worth waiting for */
};

/* ---- the order of waiting requests ---- */

/* Smaller keys go first, then earlier places. */
struct sglang_rank {
	int64_t key;
	uint32_t place, sequence;
	uint64_t shared; /* key of its first SHARED_TOKENS tokens; 0: none */
};

static int by_key(const void *x, const void *y)
{
	const struct sglang_rank *a = x, *b = y;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->place < b->place ? -1 : 1;
}

/* The larger number matters more, or the smaller one does. */
static int64_t rank_of(const struct sglang *s, const struct sequence *q)
{
	return s->is.e->sglang.low_values_first ? q->request.priority
						: -(int64_t)q->request.priority;
}

/* Returns the key of a prefix that another waiting request may compute for this
 * one; 0: it finds enough, or has none. */
static uint64_t shared_key(const struct sequence *q, uint32_t found)
{
	if (found > SHARED_TOKENS || q->progress.known < SHARED_TOKENS)
		return 0;
	return content_prefix_key(q->kv.content, SHARED_TOKENS);
}

/* The longest found prefix goes first; a request goes last if one before it is
 * about to compute its prefix. */
static void rank_by_prefix(struct sglang *s, uint32_t k)
{
	struct sglang_rank *r = &s->rank[k];
	struct sequence *q = scheduler_sequence(&s->is, r->sequence);
	uint32_t known = q->progress.known, node;
	uint32_t found = sglang_find(s, q, known, &node) * sglang_page(s);
	r->shared = shared_key(q, found);
	r->key = -(int64_t)(s->is_old ? found : whole_min(found, known - 1));
	for (uint32_t j = 0; r->shared && j < k; j++)
		if (s->rank[j].shared == r->shared) {
			r->key = INT64_MAX;
			return;
		}
}

static int make_ranks(struct sglang *s, uint32_t n)
{
	if (n <= s->cap_rank)
		return 1;
	struct sglang_rank *more = realloc(s->rank, 2 * n * sizeof *more);
	if (!more) {
		s->is.out_of_memory = 1;
		return 0;
	}
	s->rank = more;
	s->cap_rank = 2 * n;
	return 1;
}

void sglang_sort_waiting(struct sglang *s)
{
	const struct sglang_rules *rules = &s->is.e->sglang;
	struct queue *w = &s->is.waiting;
	int by_prefix = rules->policy == SCHEDULE_LPM && s->is.kv.caching &&
			w->n <= LPM_QUEUE;
	if ((!rules->has_priorities && !by_prefix) || !make_ranks(s, w->n))
		return;
	for (uint32_t k = 0; k < w->n; k++) {
		uint32_t i = queue_at(w, k);
		struct sequence *q = scheduler_sequence(&s->is, i);
		/* Those that have come since then are the last, in order. */
		if (!q->radix.entry)
			q->radix.entry = ++s->entries;
		s->rank[k] = (struct sglang_rank){
		    .key = rank_of(s, q), .place = k, .sequence = i};
		if (by_prefix)
			rank_by_prefix(s, k);
		else
			s->rank[k].place = q->radix.entry;
	}
	qsort(s->rank, w->n, sizeof *s->rank, by_key);
	for (uint32_t k = 0; k < w->n; k++)
		w->item[(w->head + k) & (w->cap - 1)] = s->rank[k].sequence;
}

/* ---- seats for the more important ---- */

/* Returns 1 if a gives way before b: it matters less, or entered later. */
static int gives_way(const struct sglang *s, const struct sequence *a,
		     const struct sequence *b)
{
	int64_t x = rank_of(s, a), y = rank_of(s, b);
	return x != y ? x > y : a->radix.entry > b->radix.entry;
}

/* Returns the running request that gives its seat to q next, apart from those
 * marked in s->rank; its index in `running`. */
static uint32_t next_victim(const struct sglang *s)
{
	uint32_t v = s->n;
	for (uint32_t k = 0; k < s->n; k++)
		if (s->running[k] != NO_SEQUENCE && !s->rank[k].key &&
		    (v == s->n || gives_way(s, sglang_at(s, s->running[k]),
					    sglang_at(s, s->running[v]))))
			v = k;
	return v;
}

/* Marks victims for q, until it is not `lacking` tokens any more.  Returns 0 if
 * that is not possible. */
static int mark_victims(struct sglang *s, const struct sequence *q,
			double lacking)
{
	int64_t least = s->is.e->sglang.preemption_threshold;
	for (uint32_t k = 0; k < s->n; k++)
		s->rank[k].key = 0;
	for (uint32_t v = next_victim(s); v < s->n; v = next_victim(s)) {
		const struct sequence *x = sglang_at(s, s->running[v]);
		if (rank_of(s, x) - rank_of(s, q) <= least)
			return 0;
		s->rank[v].key = 1;
		lacking -= sglang_share(s, x);
		if (lacking <= 0)
			return 1;
	}
	return 0;
}

int sglang_preempt_for(struct sglang *s, uint32_t i, double left)
{
	const struct sequence *q = scheduler_sequence(&s->is, i);
	int64_t asks = (int64_t)q->radix.looked - q->radix.looked_prefix +
		       sglang_future(q);
	if (!make_ranks(s, s->n) || !mark_victims(s, q, (double)asks - left))
		return 0;
	uint32_t n = s->n, kept = 0;
	for (uint32_t k = 0, others = n; k < n; k++) {
		uint32_t x = s->running[k];
		if (!s->rank[k].key) {
			s->running[kept++] = x;
			continue;
		}
		s->total_charged -= sglang_share(s, sglang_at(s, x));
		sglang_retract(s, x, --others);
		s->order[s->n_preempted++] = x;
	}
	s->n = kept;
	return 1;
}
