/* kv.c -- Blocks of the KV cache: taken, shared, found again by content,
 * given back. */
#include <config.h>
#include "sim/kv.h"
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"

#define NO_BLOCK UINT32_MAX

/* ---- keys ---- */

enum kind { GIVEN, OWN_PROMPT, OWN_OUTPUT };
static uint64_t content_id(enum kind kind, uint64_t id)
{
	return hash_mix(hash_mix(id) + (uint64_t)kind);
}

static void append(struct content *c, uint64_t id, uint32_t tokens)
{
	if (tokens)
		c->segment[c->n++] = (struct segment){id, tokens};
}

int content_make(struct content *c, const struct request *r)
{
	*c = (struct content){0};
	c->segment = malloc((r->n_segments + (size_t)2) * sizeof *c->segment);
	if (!c->segment)
		return -1;
	uint32_t left = r->input_tokens;
	for (uint32_t i = 0; i < r->n_segments; i++) {
		uint32_t n = r->segment[i].tokens;
		n = n < left ? n : left;
		append(c, content_id(GIVEN, r->segment[i].id), n);
		left -= n;
	}
	append(c, content_id(OWN_PROMPT, r->row), left);
	c->shared_tokens = r->input_tokens - left;
	if (r->output_id) {
		append(c, content_id(GIVEN, r->output_id), r->output_tokens);
		if (left == 0)
			c->shared_tokens += r->output_tokens;
	} else {
		append(c, content_id(OWN_OUTPUT, r->row), r->output_tokens);
	}
	return 0;
}

void content_free(struct content *c)
{
	free(c->segment);
	*c = (struct content){0};
}

uint64_t chain_next(struct chain *at, const struct content *c,
		    uint32_t block_size)
{
	uint64_t key = at->key;
	for (uint32_t left = block_size; left;) {
		const struct segment *s = &c->segment[at->segment];
		uint32_t n = s->tokens - at->offset;
		n = n < left ? n : left;
		key = hash_mix(key ^ s->id);
		key = hash_mix(key ^ ((uint64_t)at->offset << 32 | n));
		left -= n;
		at->offset += n;
		if (at->offset == s->tokens) {
			at->segment++;
			at->offset = 0;
		}
	}
	at->key = key ? key : 1;
	return at->key;
}

/* ---- blocks by key: chained buckets of the oldest of each key ---- */

static uint32_t *bucket_of(const struct kv *k, uint64_t key)
{
	return &k->bucket[key & (k->n_buckets - 1)];
}

static uint32_t find(const struct kv *k, uint64_t key)
{
	if (k->n_buckets == 0)
		return NO_BLOCK;
	uint32_t b = *bucket_of(k, key);
	while (b != NO_BLOCK && k->block[b].key != key)
		b = k->block[b].next_in_bucket;
	return b;
}

static void grow_buckets(struct kv *k)
{
	uint32_t n = k->n_buckets ? 2 * k->n_buckets : 1024;
	uint32_t *bucket = malloc(n * sizeof *bucket);
	if (!bucket) {
		k->out_of_memory = 1;
		return;
	}
	memset(bucket, 0xff, n * sizeof *bucket);
	free(k->bucket);
	k->bucket = bucket;
	k->n_buckets = n;
	for (uint32_t b = 0; b < k->n_blocks; b++) {
		if (!k->block[b].is_found)
			continue;
		uint32_t *head = bucket_of(k, k->block[b].key);
		k->block[b].next_in_bucket = *head;
		*head = b;
	}
}

static void set_key(struct kv *k, uint32_t b, uint64_t key)
{
	if (k->n_found >= k->n_buckets)
		grow_buckets(k);
	if (k->n_buckets == 0)
		return;
	struct kv_block *x = &k->block[b];
	uint32_t oldest = find(k, key);
	if (oldest != NO_BLOCK && k->unlimited)
		return; /* the oldest is never taken away */
	x->key = key;
	if (oldest == NO_BLOCK) {
		uint32_t *head = bucket_of(k, key);
		x->is_found = 1;
		x->next_in_bucket = *head;
		x->next_same = x->previous_same = b;
		*head = b;
		k->n_found++;
		return;
	}
	struct kv_block *o = &k->block[oldest];
	x->next_same = oldest;
	x->previous_same = o->previous_same;
	k->block[o->previous_same].next_same = b;
	o->previous_same = b;
}

static void drop_key(struct kv *k, uint32_t b)
{
	struct kv_block *x = &k->block[b];
	if (x->key == 0)
		return;
	if (x->is_found) {
		uint32_t *at = bucket_of(k, x->key);
		while (*at != b)
			at = &k->block[*at].next_in_bucket;
		if (x->next_same == b) {
			*at = x->next_in_bucket;
			k->n_found--;
		} else {
			struct kv_block *heir = &k->block[x->next_same];
			heir->is_found = 1;
			heir->next_in_bucket = x->next_in_bucket;
			*at = x->next_same;
		}
	}
	k->block[x->next_same].previous_same = x->previous_same;
	k->block[x->previous_same].next_same = x->next_same;
	x->key = 0;
	x->is_found = 0;
}

/* ---- the free list ---- */

static void free_list_remove(struct kv *k, uint32_t b)
{
	struct kv_block *x = &k->block[b];
	*(x->older == NO_BLOCK ? &k->oldest : &k->block[x->older].younger) =
	    x->younger;
	*(x->younger == NO_BLOCK ? &k->youngest : &k->block[x->younger].older) =
	    x->older;
}

static void free_list_append(struct kv *k, uint32_t b)
{
	struct kv_block *x = &k->block[b];
	x->younger = NO_BLOCK;
	x->older = k->youngest;
	*(k->youngest == NO_BLOCK ? &k->oldest
				  : &k->block[k->youngest].younger) = b;
	k->youngest = b;
}

/* A block that was never used; these are taken before any of the free list. */
static uint32_t new_block(struct kv *k)
{
	if (k->n_blocks == k->cap_blocks) {
		uint32_t cap = k->cap_blocks ? 2 * k->cap_blocks : 1024;
		void *more = k->cap_blocks > NO_BLOCK / 4
				 ? NULL
				 : realloc(k->block, cap * sizeof *k->block);
		if (!more)
			return NO_BLOCK;
		k->block = more;
		k->cap_blocks = cap;
	}
	k->block[k->n_blocks] = (struct kv_block){0};
	return k->n_blocks++;
}

static uint32_t take_one(struct kv *k)
{
	uint32_t b;
	if (k->dead != NO_BLOCK) {
		b = k->dead;
		k->dead = k->block[b].younger;
	} else if (k->n_blocks < k->capacity) {
		b = new_block(k);
		if (b == NO_BLOCK) {
			k->out_of_memory = 1;
			return b;
		}
	} else {
		b = k->oldest;
		free_list_remove(k, b);
		drop_key(k, b);
	}
	k->block[b].references = 1;
	return b;
}

static void release_one(struct kv *k, uint32_t b, int forget)
{
	struct kv_block *x = &k->block[b];
	if (--x->references)
		return;
	k->used--;
	if (!k->unlimited) {
		free_list_append(k, b);
		return;
	}
	if (forget)
		drop_key(k, b);
	if (x->key == 0) {
		x->younger = k->dead;
		k->dead = b;
	}
}

/* ---- the interface ---- */

void kv_init(struct kv *k, uint64_t n_blocks, uint32_t block_size, int caching)
{
	*k = (struct kv){
	    .block_size = block_size,
	    .caching = caching,
	    .unlimited = n_blocks == UINT64_MAX,
	    .capacity = n_blocks,
	    .oldest = NO_BLOCK,
	    .youngest = NO_BLOCK,
	    .dead = NO_BLOCK,
	};
}

void kv_free(struct kv *k)
{
	free(k->block);
	free(k->bucket);
	free(k->hit);
	k->block = NULL;
	k->bucket = k->hit = NULL;
}

uint64_t kv_room(const struct kv *k)
{
	return k->capacity - k->used;
}

void kv_count(struct kv *k, uint64_t n)
{
	k->used += n;
	if (k->peak < k->used)
		k->peak = k->used;
}

void kv_count_back(struct kv *k, uint64_t n)
{
	k->used -= n;
}

/* Room for n numbers. */
static int reserve(uint32_t **item, uint32_t *cap, uint32_t n)
{
	uint32_t more = *cap ? *cap : 16;
	if (n <= *cap)
		return 0;
	while (more < n)
		more *= 2;
	void *bigger = realloc(*item, more * sizeof **item);
	if (!bigger)
		return -1;
	*item = bigger;
	*cap = more;
	return 0;
}

uint32_t kv_find(struct kv *k, const struct content *c, uint32_t max,
		 uint32_t *idle)
{
	struct chain at = {0};
	k->n_hits = *idle = 0;
	k->after_hits = at;
	while (k->n_hits < max) {
		uint32_t b = find(k, chain_next(&at, c, k->block_size));
		if (b == NO_BLOCK)
			break;
		if (reserve(&k->hit, &k->cap_hits, k->n_hits + 1)) {
			k->out_of_memory = 1;
			break;
		}
		k->hit[k->n_hits++] = b;
		k->after_hits = at;
		*idle += k->block[b].references == 0;
	}
	return k->n_hits;
}

int kv_take_found(struct kv *k, struct kv_table *t)
{
	if (reserve(&t->block, &t->cap, k->n_hits))
		return -1;
	for (; t->n < k->n_hits; t->n++) {
		uint32_t b = k->hit[t->n];
		if (k->block[b].references++ == 0) {
			if (!k->unlimited)
				free_list_remove(k, b);
			kv_count(k, 1);
		}
		t->block[t->n] = b;
	}
	t->n_keyed = t->n_full = t->n;
	t->chain = k->after_hits;
	return 0;
}

int kv_take(struct kv *k, struct kv_table *t, uint32_t n)
{
	if (reserve(&t->block, &t->cap, t->n + n))
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t b = take_one(k);
		if (b == NO_BLOCK)
			return -1;
		t->block[t->n++] = b;
		kv_count(k, 1);
	}
	return 0;
}

static void key_first(struct kv *k, struct kv_table *t, const struct content *c,
		      uint32_t n)
{
	for (; t->n_keyed < n; t->n_keyed++)
		set_key(k, t->block[t->n_keyed],
			chain_next(&t->chain, c, k->block_size));
}

/* Leading blocks that another sequence could ask for. */
static uint32_t shared_blocks(const struct kv *k, const struct content *c)
{
	return c->shared_tokens / k->block_size;
}

void kv_full(struct kv *k, struct kv_table *t, const struct content *c,
	     uint32_t n)
{
	uint32_t shared = shared_blocks(k, c);
	t->n_full = n;
	key_first(k, t, c, n < shared ? n : shared);
}

void kv_give_back(struct kv *k, struct kv_table *t, const struct content *c,
		  int over)
{
	uint32_t shared = shared_blocks(k, c);
	if (!over)
		key_first(k, t, c, t->n_full);
	while (t->n) {
		t->n--;
		release_one(k, t->block[t->n], over && t->n >= shared);
	}
	t->chain = (struct chain){0};
	t->n_keyed = t->n_full = 0;
}

void kv_table_free(struct kv_table *t)
{
	free(t->block);
	*t = (struct kv_table){0};
}
