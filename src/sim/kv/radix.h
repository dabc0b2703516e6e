/* sim/kv/radix.h -- a cache of prefixes as a tree: a node holds pages of
 * tokens; a path from the root is a prefix of some request.
 *
 * A page is identified by a key of all tokens up to its end (content.h), so
 * equal keys mean equal prefixes.  A node stays if it, or a node behind it, is
 * locked.  From the others whole leaves are evicted, the least recently used
 * first.  A look-up uses each node that it enters, also one that it splits; the
 * front part of that one, and a new leaf, count as used after it.  Node 0 is
 * the root and has no pages.
 *
 * Source of the rules: SGLang, mem_cache/radix_cache.py.  Integers only.  [one
 * thread] */
#pragma once
#include <stdint.h>
#include "base/map64.h"
#include "sim/kv/blocks.h"

struct radix_node {
	uint32_t parent, n_children, locks;
	uint32_t n;    /* pages; 0: free, or the root */
	uint64_t *key; /* [n], owned */
	uint64_t used; /* time of last use, on the clock `touches` */
};

struct radix {
	struct radix_node *node;
	uint32_t n, cap, free; /* list of free nodes by parent; 0: none */
	/* of the keys of all pages; NULL: none */
	const struct block_listener *listener;
	struct map64 by_key; /* first key of a node -> its number; 0: none */
	uint64_t touches;
	uint64_t pages, locked_pages;
	int out_of_memory; /* sticky */
};
void radix_free(struct radix *t);
/* Finds the longest known prefix of n pages with these keys.  Returns the node
 * where it ends, *pages from the root, and marks it as used. */
uint32_t radix_find(struct radix *t, const uint64_t *key, uint32_t n,
		    uint32_t *pages);
/* Inserts all n pages.  Returns the node where they end; *had of them were
 * known. */
uint32_t radix_insert(struct radix *t, const uint64_t *key, uint32_t n,
		      uint32_t *had);
void radix_lock(struct radix *t, uint32_t node);
void radix_unlock(struct radix *t, uint32_t node);
/* Returns the pages that could be evicted. */
static inline uint64_t radix_idle(const struct radix *t)
{
	return t->pages - t->locked_pages;
}
/* Evicts until at least `pages` pages are gone, or until nothing more can
 * go. */
void radix_evict(struct radix *t, uint64_t pages);
