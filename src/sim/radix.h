/* sim/radix.h -- a cache of prefixes as a tree: a node holds pages of tokens, a
 * path from the root the prefix of some request.
 *
 * A page is known by a key of all tokens up to its end (content.h), so equal
 * keys mean equal prefixes.  A node that somebody has locked, or that lies
 * before such a node, stays; of the others whole leaves are evicted, the least
 * recently used first.  Node 0 is the root, of no pages.
 *
 * Source of the rules: SGLang, mem_cache/radix_cache.py, from descriptions.
 * Integers only.  [one thread] */
#ifndef SC_SIM_RADIX_H
#define SC_SIM_RADIX_H
#include <stdint.h>
#include "base/map64.h"

struct radix_node {
	uint32_t parent, n_children, locks;
	uint32_t n;    /* pages; 0: it is free, but for the root            */
	uint64_t *key; /* [n], owned                                        */
	uint64_t used; /* when, in touches                                  */
};

struct radix {
	struct radix_node *node;
	uint32_t n, cap, free; /* free: a list by parent; 0: none           */
	struct map64 by_key;   /* first key of a node: its number; 0: none  */
	uint64_t touches;
	uint64_t pages, locked_pages;
	int out_of_memory; /* sticky */
};
void radix_free(struct radix *t);
/* The longest known prefix of n pages with those keys.  Returns the node where
 * it ends, *pages long; it has been used. */
uint32_t radix_find(struct radix *t, const uint64_t *key, uint32_t n,
		    uint32_t *pages);
/* Puts all n pages in.  Returns the node where they end; *had of them were
 * known. */
uint32_t radix_insert(struct radix *t, const uint64_t *key, uint32_t n,
		      uint32_t *had);
void radix_lock(struct radix *t, uint32_t node);
void radix_unlock(struct radix *t, uint32_t node);
/* Pages that could be evicted. */
static inline uint64_t radix_idle(const struct radix *t)
{
	return t->pages - t->locked_pages;
}
/* Evicts until at least so many pages are gone, or no more can go. */
void radix_evict(struct radix *t, uint64_t pages);
#endif
