/* blocks.c -- Takes, shares and gives back blocks, and finds them by key. */
#include <config.h>
#include "sim/blocks.h"
#include <stdlib.h>
#include <string.h>

void blocks_init(struct blocks *b, uint64_t capacity, enum blocks_order order)
{
	*b = (struct blocks){
	    .order = order,
	    .unlimited = capacity == BLOCKS_UNLIMITED,
	    .capacity = capacity,
	    .oldest = NO_BLOCK,
	    .youngest = NO_BLOCK,
	    .alike = NO_BLOCK,
	};
}

void blocks_free(struct blocks *b)
{
	free(b->block);
	free(b->bucket);
	b->block = NULL;
	b->bucket = NULL;
}

/* ---- by key: hash buckets with the first block of each key ---- */

static uint32_t *bucket_of(const struct blocks *b, uint64_t key)
{
	return &b->bucket[key & (b->n_buckets - 1)];
}

uint32_t blocks_find(const struct blocks *b, uint64_t key)
{
	if (b->n_buckets == 0)
		return NO_BLOCK;
	uint32_t i = *bucket_of(b, key);
	while (i != NO_BLOCK && b->block[i].key != key)
		i = b->block[i].next_in_bucket;
	return i;
}

static void grow_buckets(struct blocks *b)
{
	uint32_t n = b->n_buckets ? 2 * b->n_buckets : 1024;
	uint32_t *bucket = malloc(n * sizeof *bucket);
	if (!bucket) {
		b->out_of_memory = 1;
		return;
	}
	memset(bucket, 0xff, n * sizeof *bucket);
	free(b->bucket);
	b->bucket = bucket;
	b->n_buckets = n;
	for (uint32_t i = 0; i < b->n; i++) {
		if (!b->block[i].is_found)
			continue;
		uint32_t *head = bucket_of(b, b->block[i].key);
		b->block[i].next_in_bucket = *head;
		*head = i;
	}
}

void blocks_set_key(struct blocks *b, uint32_t i, uint64_t key)
{
	if (b->n_found >= b->n_buckets)
		grow_buckets(b);
	if (b->n_buckets == 0)
		return;
	struct block *x = &b->block[i];
	uint32_t first = blocks_find(b, key);
	if (first != NO_BLOCK && b->unlimited)
		return; /* the first block is never taken away */
	x->key = key;
	if (first == NO_BLOCK) {
		uint32_t *head = bucket_of(b, key);
		x->is_found = 1;
		x->next_in_bucket = *head;
		x->next_same = x->previous_same = i;
		*head = i;
		b->n_found++;
		block_tell(b->listener, key, 1);
		return;
	}
	struct block *f = &b->block[first];
	x->next_same = first;
	x->previous_same = f->previous_same;
	b->block[f->previous_same].next_same = i;
	f->previous_same = i;
}

static void drop_key(struct blocks *b, uint32_t i)
{
	struct block *x = &b->block[i];
	if (x->key == 0)
		return;
	if (x->is_found) {
		uint32_t *at = bucket_of(b, x->key);
		while (*at != i)
			at = &b->block[*at].next_in_bucket;
		if (x->next_same == i) {
			*at = x->next_in_bucket;
			b->n_found--;
			block_tell(b->listener, x->key, 0);
		} else {
			struct block *heir = &b->block[x->next_same];
			heir->is_found = 1;
			heir->next_in_bucket = x->next_in_bucket;
			*at = x->next_same;
		}
	}
	b->block[x->next_same].previous_same = x->previous_same;
	b->block[x->previous_same].next_same = x->next_same;
	x->key = 0;
	x->is_found = 0;
}

/* ---- the free list ---- */

static void free_list_remove(struct blocks *b, uint32_t i)
{
	struct block *x = &b->block[i];
	*(x->older == NO_BLOCK ? &b->oldest : &b->block[x->older].younger) =
	    x->younger;
	*(x->younger == NO_BLOCK ? &b->youngest : &b->block[x->younger].older) =
	    x->older;
}

static void free_list_append(struct blocks *b, uint32_t i)
{
	struct block *x = &b->block[i];
	x->younger = NO_BLOCK;
	x->older = b->youngest;
	*(b->youngest == NO_BLOCK ? &b->oldest
				  : &b->block[b->youngest].younger) = i;
	b->youngest = i;
}

/* Returns a block that was never used; such blocks are taken before the free
 * list. */
static uint32_t new_block(struct blocks *b)
{
	if (b->n == b->cap) {
		uint32_t cap = b->cap ? 2 * b->cap : 1024;
		void *more = b->cap > NO_BLOCK / 4
				 ? NULL
				 : realloc(b->block, cap * sizeof *b->block);
		if (!more)
			return NO_BLOCK;
		b->block = more;
		b->cap = cap;
	}
	b->block[b->n] = (struct block){0};
	return b->n++;
}

static uint32_t take_one(struct blocks *b)
{
	uint32_t i = b->alike;
	if (i != NO_BLOCK) {
		b->alike = b->block[i].younger;
	} else if (b->n < b->capacity) {
		i = new_block(b);
	} else {
		i = b->oldest;
		free_list_remove(b, i);
		drop_key(b, i);
	}
	return i;
}

int blocks_take(struct blocks *b, uint32_t *taken, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++) {
		taken[k] = take_one(b);
		if (taken[k] == NO_BLOCK) {
			b->out_of_memory = 1;
			return -1;
		}
		b->block[taken[k]].users = 1;
	}
	blocks_count(b, n);
	return 0;
}

void blocks_share(struct blocks *b, uint32_t i)
{
	if (b->block[i].users++)
		return;
	if (!b->unlimited)
		free_list_remove(b, i);
	blocks_count(b, 1);
}

static void join_alike(struct blocks *b, uint32_t i)
{
	b->block[i].younger = b->alike;
	b->alike = i;
}

static void release_one(struct blocks *b, uint32_t i, enum block_left what)
{
	struct block *x = &b->block[i];
	if (--x->users)
		return;
	b->used--;
	if (b->unlimited) {
		if (what == BLOCK_NEVER_ASKED)
			drop_key(b, i);
		if (x->key == 0)
			join_alike(b, i);
	} else if (what == BLOCK_UNKEYED && b->order == BLOCKS_UNKEYED_FIRST) {
		join_alike(b, i);
	} else {
		free_list_append(b, i);
	}
}

void blocks_release(struct blocks *b, const uint32_t *block, uint32_t n,
		    enum block_left what)
{
	/* Together to the front: the last one is taken first. */
	if (what == BLOCK_UNKEYED && b->order == BLOCKS_UNKEYED_FIRST)
		for (uint32_t k = 0; k < n; k++)
			release_one(b, block[k], what);
	else
		while (n-- > 0)
			release_one(b, block[n], what);
}
