/* sim/kv/tree_nodes.h -- the nodes of a tree of KV blocks, and how they are
 * found.
 *
 * A node stands for the tokens of one block behind those of its parent, and
 * has at most one block with them.  A node without block and without children
 * is removed, and then its parent if that is such a node.  Node 0 is the root.
 * A node is found by a key of all tokens up to its end (content.h).  A child
 * that begins with the same tokens as a request, and differs behind them, is
 * found by links: one for each segment that has some of the node's tokens, with
 * a key of all tokens before that segment and of the place in it.  A full block
 * from one segment needs none: its key follows from the place.
 * A tail stands for nodes in a row that no request looks up: it counts their
 * blocks.
 *
 * Invariants: n_children counts nodes and tails; links of one key are in order
 * of their nodes' making.  Integers only.  [one thread] */
#pragma once
#include <stdint.h>
#include "sim/kv/blocks.h"
#include "sim/kv/content.h"

struct tree_node {
	uint64_t key; /* of all tokens up to its end; 0: a tail, or free */
	uint32_t parent, n_children;
	uint32_t block;         /* NO_BLOCK: none */
	uint32_t tokens;        /* of its own; of a tail: blocks */
	uint32_t first_link;    /* of its own; 0: none */
	uint64_t made;          /* its number in order of making */
	uint32_t before, after; /* in the list of nodes by key; 0: none */
};

struct tree_link {
	uint64_t key;
	uint32_t node;
	uint32_t run;           /* tokens of the node in that segment */
	uint32_t before, after; /* in the list of its slot; 0: none */
	uint32_t of_node;       /* the node's next one; 0: none */
};

struct tree_nodes {
	struct tree_node *node;
	uint32_t n, cap, free; /* free nodes are linked by parent */
	struct tree_link *link;
	uint32_t n_links, cap_links, free_link; /* and free links by of_node */
	/* Hash tables: lists of nodes, and of links, by their keys. */
	struct tree_slot {
		uint32_t node;        /* 0: none */
		uint32_t first, last; /* links; 0: none */
	} * slot;
	uint32_t n_slots, n_listed; /* n_slots: 0 or a power of two */
	uint32_t unit;              /* tokens of a full block; by the caller */
	uint64_t made;
	int out_of_memory; /* sticky */
};
void tree_nodes_free(struct tree_nodes *t);
/* Returns the node with that key; 0: there is none. */
uint32_t tree_find(const struct tree_nodes *t, uint64_t key);
/* Makes a node of `tokens` tokens of the content from *at on, where the key is
 * the parent's (the realm's, if that is the root); *at moves on.  Returns 0 if
 * memory is out. */
uint32_t tree_make(struct tree_nodes *t, uint32_t parent,
		   const struct content *c, struct content_place *at,
		   uint32_t tokens);
/* The same for a full block, where `key` is that of all tokens up to its
 * end. */
uint32_t tree_make_full(struct tree_nodes *t, uint32_t parent,
			const struct content *c, struct content_place *at,
			uint64_t key);
/* Makes a tail without blocks.  Returns 0 if memory is out. */
uint32_t tree_make_tail(struct tree_nodes *t, uint32_t parent);
/* The node has lost its block, or the tail one of its blocks: nodes that are
 * useless now are removed. */
void tree_prune(struct tree_nodes *t, uint32_t node);
/* Returns the child with a block that has the most leading tokens in common
 * with the `tokens` tokens from `at` on, where the key is the parent's.  Of
 * equal ones the first made is taken.  *common is their number; 0 and 0: there
 * is none. */
uint32_t tree_nearest(const struct tree_nodes *t, const struct content *c,
		      struct content_place at, uint32_t tokens,
		      uint32_t *common);
static inline int tree_is_tail(const struct tree_nodes *t, uint32_t node)
{
	return t->node[node].key == 0;
}
