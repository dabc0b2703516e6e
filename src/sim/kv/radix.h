/* sim/kv/radix.h -- a radix tree of texts: a node is a stretch of tokens, a
 * path from the root the beginning of some text.
 *
 * A stretch is kept as segments (workload/request.h), so a text costs as much
 * as it has segments, and not as it has tokens.  Texts part at multiples of
 * `unit` tokens only; a child is found by its first unit.  A node of the caller
 * begins with a struct radix_node, and is zeroed when it is made.  Node 0 is
 * the root, without tokens.  Integers only.  [one thread] */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "sim/kv/content.h"

struct radix_node {
	uint32_t parent;     /* of a free node: the next free one */
	uint32_t start, end; /* its tokens, from the start of the text */
	uint32_t n_children, next_in_bucket;
	uint64_t key;              /* of its parent and first unit */
	struct segment *segment;   /* owned; NULL: free, or the root */
	struct content_place from; /* its first token, in these */
};

struct radix {
	void *node;  /* of `size` bytes each */
	size_t size; /* by the caller, as the next two */
	uint32_t unit;
	int has_realms; /* 1: texts of two realms have nothing in common */
	uint32_t n, cap, free, used;
	uint32_t *bucket, n_buckets;
	int out_of_memory; /* sticky */
};
void radix_free(struct radix *t);
static inline struct radix_node *radix_at(const struct radix *t, uint32_t i)
{
	return (struct radix_node *)((char *)t->node + i * t->size);
}
/* Returns how many tokens the node has. */
static inline uint32_t radix_tokens(const struct radix *t, uint32_t i)
{
	const struct radix_node *a = radix_at(t, i);
	return a->end - a->start;
}
/* Finds the longest beginning of the first `tokens` tokens that is in the tree,
 * in whole units.  Returns the node where it ends, also inside a stretch;
 * *found: its tokens. */
uint32_t radix_find(const struct radix *t, const struct content *c,
		    uint32_t tokens, uint32_t *found);
/* Gives the tokens of a node before `end`, some and not all, to a node before
 * it.  Returns that; 0 if memory is out. */
uint32_t radix_split(struct radix *t, uint32_t i, uint32_t end);
/* Makes a child with the tokens behind the node's, up to the first `tokens`
 * ones; it has none that begins with the same unit.  Returns the child; 0 if
 * memory is out. */
uint32_t radix_append(struct radix *t, uint32_t parent, const struct content *c,
		      uint32_t tokens);
/* Removes a node without children. */
void radix_drop(struct radix *t, uint32_t i);
