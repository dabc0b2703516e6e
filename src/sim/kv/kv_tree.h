/* sim/kv/kv_tree.h -- a KV cache that finds prefixes in a tree of blocks, and
 * parts of blocks, as TensorRT-LLM's first KV cache manager does.
 *
 * The blocks are those of a struct kv with one group of full attention: their
 * owners take and give them back there.  Here blocks get into the tree, and
 * requests find them.
 * - A free block is taken from the front of the free list, and given back to
 *   the end.  One that is taken leaves its node; the node's children stay, and
 *   are found again once the node has a block again.
 * - A request looks for the first blocks of its prompt, all tokens but the
 *   last.  Where no node has the tokens of the next block, it finds the block
 *   of a child in part that begins with the same tokens.  It copies that, or
 *   takes it over if no request holds it and the node has no children.
 *
 * Blocks with a request's own tokens alone can only be looked up by that
 * request, when it was paused.  Unless requests may return, such blocks are not
 * looked up, and a tail counts them.
 *
 * Source: TensorRT-LLM, cpp/tensorrt_llm/batch_manager/kvCacheManager.cpp,
 * evictionPolicy.cpp (read).  Integers only.  [one thread] */
#pragma once
#include "sim/kv/kv.h"
#include "sim/kv/tree_nodes.h"

struct kv_tree {
	struct kv *kv; /* not owned */
	struct tree_nodes nodes;
	uint32_t unit;  /* tokens of a block */
	int has_parts;  /* parts of full blocks are found */
	int may_return; /* requests may be paused and come back */
};
/* kv stays where it is, and outlives the tree. */
void kv_tree_init(struct kv_tree *t, struct kv *kv, int has_parts,
		  int may_return);
void kv_tree_free(struct kv_tree *t);

struct kv_tree_look {
	uint32_t found;  /* leading full blocks                             */
	uint32_t in_use; /* how many of them requests hold                  */
	/* key of the tokens of the next full block alone; 0: there is none, or
	 * no other request can have it */
	uint64_t next;
};
/* Looks for all of the first `known` tokens. */
struct kv_tree_look kv_tree_look(struct kv_tree *t, const struct kv_owner *o,
				 uint32_t known);

/* A request that begins. */
struct kv_claim {
	struct kv_owner *owner; /* without blocks, given by the caller      */
	uint32_t tokens;        /* of its prompt, given by the caller */
	uint32_t whole;         /* blocks that are found whole              */
	uint32_t part;          /* tokens of the next one, found in part    */
	uint32_t block;         /* the block found in part, if part > 0 */
	uint32_t was_free, is_parent;
	uint32_t takes;      /* 1: takes `block` over; 0: copies it */
	uint32_t gives_back; /* 1: gives `block` back after the copy */
};
/* Returns the tokens that it has found. */
static inline uint32_t kv_claim_found(const struct kv_tree *t,
				      const struct kv_claim *c)
{
	return c->whole * t->unit + c->part;
}
/* All requests that begin in a step find their blocks, which no other can take
 * from then on. */
void kv_tree_claim(struct kv_tree *t, struct kv_claim *claim, uint32_t n);
/* Then each of them takes all blocks of its prompt, in that order.  Returns -1,
 * with nothing done, if there are not enough. */
int kv_tree_take(struct kv_tree *t, const struct kv_claim *claim);

/* The full blocks of the first `tokens` tokens get into the tree; ends: a last
 * one that is not full, too. */
void kv_tree_store(struct kv_tree *t, struct kv_owner *o, uint32_t tokens,
		   int ends);

/* Announces that the owner will give back its blocks, together with all owners
 * that were announced before.  Returns how many more blocks will be free then
 * than without this owner. */
uint32_t kv_tree_leave(struct kv_tree *t, const struct kv_owner *o);
/* Takes that back, directly before the blocks are given back. */
void kv_tree_left(struct kv_tree *t, const struct kv_owner *o);
