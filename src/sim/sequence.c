/* sequence.c -- The pool and the queues of requests in the engine. */
#include "sim/sequence.h"
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "sim/offload/offloaded.h"

void pool_init(struct sequence_pool *p)
{
	*p = (struct sequence_pool){.free = NO_SEQUENCE};
}

/* memset() through a pointer, so that the compiler cannot replace it by a
 * string instruction, which takes longer to start. */
static void *(*const volatile fill)(void *, int, size_t) = memset;

static void begin_anew(struct sequence *s)
{
	fill(s, 0, sizeof *s);
	s->scheduled_ns = s->first_token_ns = s->fetch_begun_ns = -1;
	s->load_from_ns = s->load_to_ns = -1;
	s->in_use = 1;
}

uint32_t pool_take(struct sequence_pool *p)
{
	uint32_t i = p->free;
	if (i != NO_SEQUENCE) {
		p->free = p->item[i].next_free;
	} else {
		if (p->n == p->cap) {
			size_t cap = p->cap ? 2 * (size_t)p->cap : 64;
			void *more =
			    cap > NO_SEQUENCE / 2
				? NULL
				: realloc(p->item, cap * sizeof *p->item);
			if (!more)
				return NO_SEQUENCE;
			p->item = more;
			p->cap = (uint32_t)cap;
		}
		i = p->n++;
	}
	p->in_use++;
	begin_anew(&p->item[i]);
	return i;
}

int sequence_begin(struct sequence *s, const struct request *r, int keeps_name,
		   int keeps_content)
{
	s->request = *r;
	s->request.n_segments = 0;
	s->request.segment = NULL;
	s->request.name = NULL;
	s->request.n_items = 0;
	s->request.item = NULL;
	if (keeps_name && r->name) {
		s->request.name = s->name = strdup(r->name);
		if (!s->name)
			return -1;
	}
	if (r->n_items) {
		s->items = mm_uses_make(r);
		if (!s->items)
			return -1;
	}
	if (!keeps_content)
		return 0;
	s->kv.content = calloc(1, sizeof *s->kv.content);
	return s->kv.content && content_make(s->kv.content, r) == 0 ? 0 : -1;
}

/* If there are too many, the last one is forgotten. */
void sequence_enter(struct sequence *s, uint32_t replica, int64_t from_ns)
{
	s->is_seen = 0;
	if (s->n_visits < REQUEST_VISITS)
		s->n_visits++;
	s->visit[s->n_visits - 1] =
	    (struct visit){replica, from_ns, /* to_ns */ -1};
}

void sequence_leave(struct sequence *s, int64_t to_ns)
{
	s->visit[s->n_visits - 1].to_ns = to_ns;
}

static void lose_items(struct mm_uses *u)
{
	for (uint32_t i = 0; i < u->n; i++)
		u->item[i].is_used = u->item[i].has_left = u->item[i].is_met =
		    0;
	u->n_used = 0;
}

void sequence_lose(struct sequence *s)
{
	const struct sequence was = *s;
	kv_owner_clear(&s->kv);
	offloaded_free(s->offload);
	struct content *content = s->kv.content;
	*s = (struct sequence){.request = was.request,
			       .name = was.name,
			       .kv.content = content,
			       .items = was.items,
			       .order = was.order,
			       .quota = was.quota,
			       .early = was.early,
			       .is_withdrawn = was.is_withdrawn,
			       .moves_on = was.moves_on,
			       .retries = was.retries,
			       .is_away = 1,
			       .replica = was.replica,
			       .scheduled_ns = -1,
			       .first_token_ns = -1,
			       .fetch_begun_ns = -1,
			       .in_use = 1,
			       .n_visits = was.n_visits};
	memcpy(s->visit, was.visit, sizeof s->visit);
	if (s->items)
		lose_items(s->items);
}

static void drop(struct sequence *s)
{
	free(s->name);
	s->name = NULL;
	offloaded_free(s->offload);
	s->offload = NULL;
	free(s->items);
	s->items = NULL;
	kv_owner_free(&s->kv);
	s->held.content = NULL;
	kv_owner_free(&s->held);
}

void pool_give_back(struct sequence_pool *p, uint32_t i)
{
	struct sequence *s = &p->item[i];
	drop(s);
	s->in_use = 0;
	s->next_free = p->free;
	p->free = i;
	p->in_use--;
}

void pool_free(struct sequence_pool *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		drop(&p->item[i]);
	free(p->item);
	*p = (struct sequence_pool){0};
}

/* ---- queues ---- */

int by_priority(const struct sequence *a, const struct sequence *b)
{
	const struct request *x = &a->request, *y = &b->request;
	if (x->priority != y->priority)
		return x->priority < y->priority;
	if (x->arrival_ns != y->arrival_ns)
		return x->arrival_ns < y->arrival_ns;
	return x->row < y->row;
}

int by_time_seen(const struct sequence *a, const struct sequence *b)
{
	if (a->seen_ns != b->seen_ns)
		return a->seen_ns < b->seen_ns;
	return a->request.row < b->request.row;
}

int by_time_fetched(const struct sequence *a, const struct sequence *b)
{
	if (a->fetched_ns != b->fetched_ns)
		return a->fetched_ns < b->fetched_ns;
	return a->request.row < b->request.row;
}

static int before(const struct queue *q, const struct sequence_pool *p,
		  uint32_t a, uint32_t b)
{
	return q->before(&p->item[a], &p->item[b]);
}

static void sift_up(struct queue *q, const struct sequence_pool *p)
{
	uint32_t at = q->n - 1, moved = q->item[at];
	while (at && before(q, p, moved, q->item[(at - 1) / 2])) {
		q->item[at] = q->item[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	q->item[at] = moved;
}

static void sift_down(struct queue *q, const struct sequence_pool *p)
{
	uint32_t at = 0, moved = q->item[q->n];
	for (;;) {
		uint32_t child = 2 * at + 1;
		if (child >= q->n)
			break;
		if (child + 1 < q->n &&
		    before(q, p, q->item[child + 1], q->item[child]))
			child++;
		if (!before(q, p, q->item[child], moved))
			break;
		q->item[at] = q->item[child];
		at = child;
	}
	q->item[at] = moved;
}

int queue_push(struct queue *q, const struct sequence_pool *p, uint32_t i)
{
	if (!MAKE_RING_ROOM(q->item, q->head, q->n, q->cap))
		return -1;
	q->item[(q->head + q->n++) & (q->cap - 1)] = i;
	if (q->before)
		sift_up(q, p);
	return 0;
}

int queue_push_back(struct queue *q, const struct sequence_pool *p, uint32_t i)
{
	if (q->before)
		return queue_push(q, p, i);
	if (!MAKE_RING_ROOM(q->item, q->head, q->n, q->cap))
		return -1;
	q->head = (q->head - 1) & (q->cap - 1);
	q->item[q->head] = i;
	q->n++;
	return 0;
}

uint32_t queue_first(const struct queue *q)
{
	return q->n ? q->item[q->head] : NO_SEQUENCE;
}

void queue_pop(struct queue *q, const struct sequence_pool *p)
{
	q->n--;
	if (q->before)
		sift_down(q, p);
	else
		q->head = (q->head + 1) & (q->cap - 1);
}

void queue_remove(struct queue *q, const struct sequence_pool *p, uint32_t i)
{
	uint32_t n = q->n, head = q->head;
	q->n = 0;
	/* Each entry moves to the place it was read from, or to an earlier
	 * one. */
	for (uint32_t k = 0; k < n; k++) {
		uint32_t x = q->item[(head + k) & (q->cap - 1)];
		if (x != i)
			queue_push(q, p, x);
	}
}

void queue_free(struct queue *q)
{
	free(q->item);
	q->item = NULL;
}

/* ---- lists ---- */

uint32_t list_find(const uint32_t *list, uint32_t n, uint32_t i)
{
	uint32_t place = 0;
	while (place < n && list[place] != i)
		place++;
	return place;
}

void list_remove(uint32_t *list, uint32_t *n, uint32_t place)
{
	memmove(&list[place], &list[place + 1], (--*n - place) * sizeof *list);
}
