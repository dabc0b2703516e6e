/* sim/route/prompt_tree.h -- prompts in a radix tree, token by token, where
 * each node lists the replicas that hold it, in the order in which they came.
 *
 * A replica that holds a node holds all nodes before it.  [one thread] */
#pragma once
#include <stdint.h>
#include "sim/kv/radix.h"

struct prompt_holder {
	uint32_t replica;
	uint32_t below; /* how many children of the node it holds, too */
	/* The router's own: when the replica used the node, or how often. */
	uint64_t value;
};

struct prompt_node {
	struct radix_node is;
	uint32_t n_holders, cap_holders;
	struct prompt_holder *holder; /* [n_holders], owned */
};

struct prompt_tree {
	struct radix tree;
	int out_of_memory; /* sticky */
};
void prompt_tree_init(struct prompt_tree *t);
void prompt_tree_free(struct prompt_tree *t);
static inline struct prompt_node *prompt_tree_at(const struct prompt_tree *t,
						 uint32_t node)
{
	return (struct prompt_node *)radix_at(&t->tree, node);
}
/* Enters the first `tokens` tokens, and returns the node that ends with them:
 * 0 if there are none, or memory is out. */
uint32_t prompt_tree_enter(struct prompt_tree *t, const struct content *c,
			   uint32_t tokens);
/* Returns the replica as a holder of the node, valid until the next call, NULL
 * if it is none; prompt_tree_hold() makes it one, then *is_new is 1, and
 * returns NULL if memory is out.  Begin at the end of a path: the caller counts
 * `below`. */
struct prompt_holder *prompt_tree_holder(const struct prompt_tree *t,
					 uint32_t node, uint32_t replica);
struct prompt_holder *prompt_tree_hold(struct prompt_tree *t, uint32_t node,
				       uint32_t replica, int *is_new);
/* The replica, which holds the node and none behind it, does so no more.  A
 * node without holders is gone. */
void prompt_tree_leave(struct prompt_tree *t, uint32_t node, uint32_t replica);
