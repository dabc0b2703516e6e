/* sim/route/prompt_tree.h -- prompts as a tree, token by token: a node is a
 * stretch of tokens, a path from the root the beginning of some prompt, and
 * each node lists the replicas that hold it, in the order in which they came.
 *
 * A stretch is kept as parts of segments (workload/request.h), so a prompt
 * costs as much as it has segments.  A replica that holds a node holds all
 * nodes before it.  Node 0 is the root, without tokens.  Integers only.
 * [one thread] */
#pragma once
#include <stdint.h>
#include "sim/kv/content.h"

struct prompt_part {
	uint64_t id;
	uint32_t offset, tokens; /* in the segment */
};

struct prompt_holder {
	uint32_t replica;
	uint32_t below; /* children that it holds, too */
	uint64_t value; /* of the caller: when it was used, or how often */
};

struct prompt_node {
	uint32_t parent;     /* of a free node: the next free one */
	uint32_t start, end; /* its tokens, from the start of the prompt */
	uint32_t n_parts, n_holders, cap_holders;
	uint32_t next_in_bucket;
	struct prompt_part *part;     /* [n_parts], owned; NULL: free */
	struct prompt_holder *holder; /* [n_holders], owned */
};

struct prompt_tree {
	struct prompt_node *node;
	uint32_t n, cap, free, used;
	uint32_t *bucket, n_buckets;
	int out_of_memory; /* sticky */
};
void prompt_tree_free(struct prompt_tree *t);
/* Finds the longest beginning of the first `tokens` tokens that is in the tree.
 * Returns its tokens; *node: where it ends, also inside a stretch. */
uint32_t prompt_tree_find(const struct prompt_tree *t, const struct content *c,
			  uint32_t tokens, uint32_t *node);
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
