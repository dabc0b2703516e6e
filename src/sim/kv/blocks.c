/* blocks.c -- Takes, shares and gives back blocks, and finds them by key. */
#include "sim/kv/blocks.h"
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
	free(b->slot);
	b->block = NULL;
	b->slot = NULL;
}

/* ---- by key: a hash table with the first block of each key ---- */

/* Returns the slot of the key, or the free one where it belongs. */
static uint32_t slot_of(const struct blocks *b, uint64_t key)
{
	uint32_t mask = b->n_slots - 1, low = (uint32_t)key, i = low & mask;
	for (;; i = (i + 1) & mask) {
		const struct block_slot *s = &b->slot[i];
		if (s->block == NO_BLOCK ||
		    (s->low == low && b->block[s->block].key == key))
			return i;
	}
}

uint32_t blocks_find(const struct blocks *b, uint64_t key)
{
	return b->n_slots ? b->slot[slot_of(b, key)].block : NO_BLOCK;
}

static void grow_slots(struct blocks *b)
{
	const struct block_slot *old = b->slot;
	uint32_t n = b->n_slots, mask = n ? 2 * n - 1 : 2047;
	struct block_slot *slot = malloc(((size_t)mask + 1) * sizeof *slot);
	if (!slot) {
		b->out_of_memory = 1;
		return;
	}
	memset(slot, 0xff, ((size_t)mask + 1) * sizeof *slot);
	for (uint32_t k = 0; k < n; k++) {
		uint32_t i = old[k].low & mask;
		if (old[k].block == NO_BLOCK)
			continue;
		while (slot[i].block != NO_BLOCK)
			i = (i + 1) & mask;
		slot[i] = old[k];
	}
	free(b->slot);
	b->slot = slot;
	b->n_slots = mask + 1;
}

/* Frees a slot, and moves those behind it that were pushed on. */
static void free_slot(struct blocks *b, uint32_t empty)
{
	uint32_t mask = b->n_slots - 1;
	for (uint32_t i = (empty + 1) & mask; b->slot[i].block != NO_BLOCK;
	     i = (i + 1) & mask) {
		uint32_t from_home = (i - b->slot[i].low) & mask;
		if (from_home < ((i - empty) & mask))
			continue;
		b->slot[empty] = b->slot[i];
		empty = i;
	}
	b->slot[empty].block = NO_BLOCK;
}

void blocks_set_key(struct blocks *b, uint32_t i, uint64_t key)
{
	if (2 * (uint64_t)b->n_found >= b->n_slots)
		grow_slots(b);
	if (b->out_of_memory)
		return;
	struct block *x = &b->block[i];
	struct block_slot *slot = &b->slot[slot_of(b, key)];
	uint32_t first = slot->block;
	if (first != NO_BLOCK && b->unlimited)
		return; /* the first block is never taken away */
	x->key = key;
	if (first == NO_BLOCK) {
		*slot = (struct block_slot){(uint32_t)key, i};
		x->is_found = 1;
		x->next_same = x->previous_same = i;
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

void blocks_drop_key(struct blocks *b, uint32_t i)
{
	struct block *x = &b->block[i];
	if (x->key == 0)
		return;
	if (b->forget) {
		b->forget(b->tree, i);
		return;
	}
	if (x->is_found) {
		uint32_t at = slot_of(b, x->key);
		if (x->next_same == i) {
			free_slot(b, at);
			b->n_found--;
			block_tell(b->listener, x->key, 0);
		} else {
			b->block[x->next_same].is_found = 1;
			b->slot[at].block = x->next_same;
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

static void tell_removed(const struct blocks *b, uint32_t i)
{
	const struct block_watcher *w = b->watcher;
	if (w && b->block[i].key)
		w->tell(w->user, w->replica,
			&(struct block_change){
			    .kind = BLOCKS_REMOVED, .n = 1, .block = &i});
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
		tell_removed(b, i);
		blocks_drop_key(b, i);
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
	if (b->block[i].users++) {
		b->shares++;
		return;
	}
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
	if (--x->users) {
		b->shares--;
		return;
	}
	b->used--;
	if (b->unlimited) {
		if (what == BLOCK_NEVER_ASKED)
			blocks_drop_key(b, i);
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
