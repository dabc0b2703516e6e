/* radix.c -- Keeps prefixes in a tree; its nodes are split where requests
 * part. */
#include "sim/kv/radix.h"
#include <stdlib.h>
#include <string.h>

void radix_free(struct radix *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		free(t->node[i].key);
	free(t->node);
	map64_free(&t->by_key);
}

/* ---- nodes ---- */

static int grow(struct radix *t)
{
	uint32_t cap = t->cap ? 2 * t->cap : 64;
	void *more = realloc(t->node, cap * sizeof *t->node);
	if (!more)
		return -1;
	t->node = more;
	t->cap = cap;
	return 0;
}

/* Makes a node of n pages; the first one makes the root as well.  Returns 0 if
 * memory is out. */
static uint32_t make(struct radix *t, const uint64_t *key, uint32_t n)
{
	uint32_t i = t->free;
	uint64_t *own = malloc(n * sizeof *own);
	if (!own || (!i && t->n + 2 > t->cap && grow(t) < 0)) {
		free(own);
		t->out_of_memory = 1;
		return 0;
	}
	if (!t->n)
		t->node[t->n++] = (struct radix_node){0};
	if (i)
		t->free = t->node[i].parent;
	else
		i = t->n++;
	memcpy(own, key, n * sizeof *own);
	t->node[i] = (struct radix_node){.n = n, .key = own};
	return i;
}

static void name(struct radix *t, uint64_t key, uint32_t node)
{
	uint64_t *at = map64_at(&t->by_key, key, NULL);
	if (at)
		*at = node;
	else
		t->out_of_memory = 1;
}

static uint32_t named(struct radix *t, uint64_t key)
{
	uint64_t *at = map64_at(&t->by_key, key, NULL);
	if (!at)
		t->out_of_memory = 1;
	return at ? (uint32_t)*at : 0;
}

/* Splits the first n pages off into a node before it, which is returned and
 * counts as used later. */
static uint32_t split(struct radix *t, uint32_t i, uint32_t n)
{
	uint32_t front = make(t, t->node[i].key, n);
	if (!front)
		return 0;
	struct radix_node *a = &t->node[front], *b = &t->node[i];
	a->parent = b->parent;
	a->n_children = 1;
	a->locks = b->locks;
	a->used = ++t->touches;
	b->parent = front;
	b->n -= n;
	memmove(b->key, b->key + n, b->n * sizeof *b->key);
	name(t, a->key[0], front);
	name(t, b->key[0], i);
	return front;
}

/* ---- finding and inserting ---- */

/* Returns how many of these pages the node has: the keys are equal up to some
 * index, and differ behind it. */
static uint32_t common(const struct radix_node *a, const uint64_t *key,
		       uint32_t n)
{
	uint32_t from = 0, to = a->n < n ? a->n : n;
	while (from < to) {
		uint32_t mid = from + (to - from + 1) / 2;
		if (a->key[mid - 1] == key[mid - 1])
			from = mid;
		else
			to = mid - 1;
	}
	return from;
}

uint32_t radix_find(struct radix *t, const uint64_t *key, uint32_t n,
		    uint32_t *pages)
{
	uint32_t at = 0;
	uint64_t now = n ? ++t->touches : 0;
	*pages = 0;
	while (*pages < n) {
		uint32_t next = named(t, key[*pages]);
		if (!next)
			break;
		t->node[next].used = now;
		uint32_t same =
		    common(&t->node[next], key + *pages, n - *pages);
		if (same < t->node[next].n)
			next = split(t, next, same);
		if (!next)
			break;
		at = next;
		*pages += same;
	}
	return at;
}

uint32_t radix_insert(struct radix *t, const uint64_t *key, uint32_t n,
		      uint32_t *had)
{
	uint32_t at = radix_find(t, key, n, had);
	if (*had == n)
		return at;
	uint32_t leaf = make(t, key + *had, n - *had);
	if (!leaf)
		return at;
	t->node[leaf].parent = at;
	t->node[at].n_children++;
	name(t, key[*had], leaf);
	t->node[leaf].used = ++t->touches;
	t->pages += n - *had;
	for (uint32_t i = *had; i < n; i++)
		block_tell(t->listener, key[i], 1);
	return leaf;
}

/* ---- locks and eviction ---- */

void radix_lock(struct radix *t, uint32_t node)
{
	for (; node; node = t->node[node].parent)
		if (t->node[node].locks++ == 0)
			t->locked_pages += t->node[node].n;
}

void radix_unlock(struct radix *t, uint32_t node)
{
	for (; node; node = t->node[node].parent)
		if (--t->node[node].locks == 0)
			t->locked_pages -= t->node[node].n;
}

/* Returns 0 if there is none. */
static uint32_t oldest_leaf(const struct radix *t)
{
	uint32_t best = 0;
	for (uint32_t i = 1; i < t->n; i++) {
		const struct radix_node *a = &t->node[i];
		if (a->n && !a->n_children && !a->locks &&
		    (!best || a->used < t->node[best].used))
			best = i;
	}
	return best;
}

static void drop(struct radix *t, uint32_t i)
{
	struct radix_node *a = &t->node[i];
	t->pages -= a->n;
	for (uint32_t k = 0; k < a->n; k++)
		block_tell(t->listener, a->key[k], 0);
	t->node[a->parent].n_children--;
	name(t, a->key[0], 0);
	free(a->key);
	*a = (struct radix_node){.parent = t->free};
	t->free = i;
}

void radix_evict(struct radix *t, uint64_t pages)
{
	uint64_t from = t->pages;
	while (from - t->pages < pages) {
		uint32_t leaf = oldest_leaf(t);
		if (!leaf)
			return;
		drop(t, leaf);
	}
}
