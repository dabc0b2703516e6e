/* radix_cache.c -- Finds, locks and evicts the nodes of a radix tree. */
#include "sim/kv/radix_cache.h"

void radix_cache_init(struct radix_cache *t, uint32_t page_tokens)
{
	*t = (struct radix_cache){.tree = {.size = sizeof(struct radix_cached),
					   .unit = page_tokens,
					   .has_realms = 1}};
}

void radix_cache_free(struct radix_cache *t)
{
	radix_free(&t->tree);
}

static struct radix_cached *at(const struct radix_cache *t, uint32_t i)
{
	return (struct radix_cached *)radix_at(&t->tree, i);
}

static uint32_t pages_of(const struct radix_cache *t, uint32_t i)
{
	return radix_tokens(&t->tree, i) / t->tree.unit;
}

/* Returns the key of all tokens up to the end of the node; `hears` is told of
 * each of its pages, if there is a listener. */
static uint64_t key_pages(const struct radix_cache *t, uint32_t i,
			  const struct block_listener *hears, int has)
{
	const struct radix_cached *a = at(t, i);
	struct content_place place = a->is.from;
	place.key = a->before;
	for (uint32_t n = pages_of(t, i); n > 0; n--)
		block_tell(hears,
			   content_go_on(a->is.segment, &place, t->tree.unit),
			   has);
	return place.key;
}

static void tell(const struct radix_cache *t, uint32_t i, int has)
{
	if (t->listener)
		key_pages(t, i, t->listener, has);
}

/* ---- finding and inserting ---- */

/* Splits the tokens before `end` off into a node before it, which is returned
 * and counts as used later. */
static uint32_t split(struct radix_cache *t, uint32_t i, uint32_t end)
{
	uint32_t front = radix_split(&t->tree, i, end);
	if (!front)
		return 0;
	at(t, front)->locks = at(t, i)->locks;
	at(t, front)->used = ++t->touches;
	at(t, front)->before = at(t, i)->before;
	if (t->listener)
		at(t, i)->before = key_pages(t, front, NULL, 0);
	return front;
}

uint32_t radix_cache_find(struct radix_cache *t, const struct content *c,
			  uint32_t n, uint32_t *pages)
{
	uint32_t found, unit = t->tree.unit;
	uint32_t node = radix_find(&t->tree, c, n * unit, &found);
	uint64_t now = n ? ++t->touches : 0;
	*pages = found / unit;
	for (uint32_t i = node; i; i = at(t, i)->is.parent)
		at(t, i)->used = now;
	return node && found < at(t, node)->is.end ? split(t, node, found)
						   : node;
}

uint32_t radix_cache_insert(struct radix_cache *t, const struct content *c,
			    uint32_t n, uint32_t *had)
{
	uint32_t node = radix_cache_find(t, c, n, had);
	if (*had == n || t->tree.out_of_memory)
		return node;
	uint32_t leaf = radix_append(&t->tree, node, c, n * t->tree.unit);
	if (!leaf)
		return node;
	at(t, leaf)->used = ++t->touches;
	at(t, leaf)->before = c->realm;
	if (t->listener && node)
		at(t, leaf)->before = key_pages(t, node, NULL, 0);
	t->pages += n - *had;
	tell(t, leaf, 1);
	return leaf;
}

/* ---- locks and eviction ---- */

void radix_cache_lock(struct radix_cache *t, uint32_t node)
{
	for (; node; node = at(t, node)->is.parent)
		if (at(t, node)->locks++ == 0)
			t->locked_pages += pages_of(t, node);
}

void radix_cache_unlock(struct radix_cache *t, uint32_t node)
{
	for (; node; node = at(t, node)->is.parent)
		if (--at(t, node)->locks == 0)
			t->locked_pages -= pages_of(t, node);
}

/* Returns 0 if there is none. */
static uint32_t oldest_leaf(const struct radix_cache *t)
{
	uint32_t best = 0;
	for (uint32_t i = 1; i < t->tree.n; i++) {
		const struct radix_cached *a = at(t, i);
		if (a->is.segment && !a->is.n_children && !a->locks &&
		    (!best || a->used < at(t, best)->used))
			best = i;
	}
	return best;
}

void radix_cache_evict(struct radix_cache *t, uint64_t pages)
{
	uint64_t from = t->pages;
	while (from - t->pages < pages) {
		uint32_t leaf = oldest_leaf(t);
		if (!leaf)
			return;
		t->pages -= pages_of(t, leaf);
		tell(t, leaf, 0);
		radix_drop(&t->tree, leaf);
	}
}
