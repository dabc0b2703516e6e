/* sim/kv/radix_cache.h -- a cache of prefixes as a radix tree of pages of
 * tokens (its unit).
 *
 * A node stays if it, or a node behind it, is locked.  From the others whole
 * leaves are evicted, the least recently used first.  A look-up uses each node
 * that it enters, also one that it splits; the front part of that one, and a
 * new leaf, count as used after it.
 *
 * Source of the rules: SGLang, mem_cache/radix_cache.py.  Integers only.  [one
 * thread] */
#pragma once
#include <stdint.h>
#include "sim/kv/blocks.h"
#include "sim/kv/radix.h"

struct radix_cached {
	struct radix_node is;
	uint32_t locks;
	uint64_t used;   /* time of last use, on the clock `touches` */
	uint64_t before; /* for a listener: key of all tokens before it */
};

struct radix_cache {
	struct radix tree;
	/* of the keys of all pages, as content_keys() has them; NULL: none */
	const struct block_listener *listener;
	uint64_t touches;
	uint64_t pages, locked_pages;
};
/* listener: set by the caller before anything is inserted. */
void radix_cache_init(struct radix_cache *t, uint32_t page_tokens);
void radix_cache_free(struct radix_cache *t);
/* Finds the longest known prefix of the first n pages.  Returns the node where
 * it ends, *pages from the root, and marks it as used. */
uint32_t radix_cache_find(struct radix_cache *t, const struct content *c,
			  uint32_t n, uint32_t *pages);
/* Inserts all n pages.  Returns the node where they end; *had of them were
 * known. */
uint32_t radix_cache_insert(struct radix_cache *t, const struct content *c,
			    uint32_t n, uint32_t *had);
void radix_cache_lock(struct radix_cache *t, uint32_t node);
void radix_cache_unlock(struct radix_cache *t, uint32_t node);
/* Evicts until at least `pages` pages are gone, or until nothing more can
 * go. */
void radix_cache_evict(struct radix_cache *t, uint64_t pages);
