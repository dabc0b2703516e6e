/* recent.c -- Lists of blocks by the time they were sent, and a hash map to
 * find them. */
#include "sim/route/recent.h"
#include <stdlib.h>

/* A key is a hash already; replicas are kept apart by an odd number. */
#define HASH_STEP UINT64_C(0x9e3779b97f4a7c15)

int recent_init(struct recent *r, uint32_t replicas)
{
	*r = (struct recent){
	    .n = 1,
	    .list = calloc(replicas, sizeof *r->list),
	    .index = {.n_words = holders_words(replicas)},
	};
	return r->list ? 0 : -1;
}

void recent_free(struct recent *r)
{
	free(r->item);
	free(r->bucket);
	free(r->list);
	holders_free(&r->index);
}

static uint32_t *bucket_of(const struct recent *r, uint32_t replica,
			   uint64_t key)
{
	return &r->bucket[(key + replica * HASH_STEP) & (r->n_buckets - 1)];
}

/* ---- memory ---- */

static int grow_buckets(struct recent *r)
{
	uint32_t n = r->n_buckets ? 2 * r->n_buckets : 1024;
	uint32_t *more = calloc(n, sizeof *more);
	if (!more)
		return -1;
	free(r->bucket);
	r->bucket = more;
	r->n_buckets = n;
	for (uint32_t i = 1; i < r->n; i++) {
		struct recent_block *b = &r->item[i];
		if (!b->key)
			continue;
		uint32_t *head = bucket_of(r, b->replica, b->key);
		b->next_in_bucket = *head;
		*head = i;
	}
	return 0;
}

static int grow_items(struct recent *r)
{
	uint32_t cap = r->cap ? 2 * r->cap : 1024;
	void *more = cap > UINT32_MAX / 4
			 ? NULL
			 : realloc(r->item, cap * sizeof *r->item);
	if (!more)
		return -1;
	r->item = more;
	r->cap = cap;
	return 0;
}

/* Returns 0 if memory is out. */
static uint32_t make(struct recent *r, uint32_t replica, uint64_t key)
{
	uint32_t i = r->free;
	if ((r->used >= r->n_buckets && grow_buckets(r) < 0) ||
	    (!i && r->n >= r->cap && grow_items(r) < 0)) {
		r->out_of_memory = 1;
		return 0;
	}
	if (i)
		r->free = r->item[i].older;
	else
		i = r->n++;
	uint32_t *head = bucket_of(r, replica, key);
	r->item[i] = (struct recent_block){
	    .key = key, .replica = replica, .next_in_bucket = *head};
	*head = i;
	r->used++;
	holders_add(&r->index, key, replica);
	r->out_of_memory |= r->index.out_of_memory;
	return i;
}

static uint32_t find(const struct recent *r, uint32_t replica, uint64_t key)
{
	uint32_t i = r->n_buckets ? *bucket_of(r, replica, key) : 0;
	while (i && (r->item[i].key != key || r->item[i].replica != replica))
		i = r->item[i].next_in_bucket;
	return i;
}

/* ---- the lists ---- */

static void leave(struct recent *r, uint32_t i)
{
	const struct recent_block *b = &r->item[i];
	struct recent_list *l = &r->list[b->replica];
	*(b->older ? &r->item[b->older].younger : &l->oldest) = b->younger;
	*(b->younger ? &r->item[b->younger].older : &l->youngest) = b->older;
	l->n--;
}

static void join(struct recent *r, uint32_t i)
{
	struct recent_block *b = &r->item[i];
	struct recent_list *l = &r->list[b->replica];
	b->older = l->youngest;
	b->younger = 0;
	*(l->youngest ? &r->item[l->youngest].younger : &l->oldest) = i;
	l->youngest = i;
	l->n++;
}

void recent_send(struct recent *r, uint32_t replica, uint64_t key,
		 int64_t now_ns)
{
	uint32_t i = find(r, replica, key);
	if (i)
		leave(r, i);
	else
		i = make(r, replica, key);
	if (!i)
		return;
	r->item[i].sent_ns = now_ns;
	join(r, i);
}

static void drop(struct recent *r, uint32_t i)
{
	struct recent_block *b = &r->item[i];
	uint32_t *at = bucket_of(r, b->replica, b->key);
	while (*at != i)
		at = &r->item[*at].next_in_bucket;
	*at = b->next_in_bucket;
	leave(r, i);
	holders_remove(&r->index, b->key, b->replica);
	*b = (struct recent_block){.older = r->free};
	r->free = i;
	r->used--;
}

void recent_keep(struct recent *r, uint32_t replica, uint64_t most)
{
	while (r->list[replica].n > most)
		drop(r, r->list[replica].oldest);
}

void recent_forget(struct recent *r, uint32_t replica, int64_t sent_ns)
{
	const struct recent_list *l = &r->list[replica];
	while (l->oldest && r->item[l->oldest].sent_ns <= sent_ns)
		drop(r, l->oldest);
}
