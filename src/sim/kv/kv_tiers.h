/* sim/kv/kv_tiers.h -- a KV cache on two levels, GPU and host, as
 * TensorRT-LLM's second KV cache manager has it.
 *
 * A page has the KV of one block of tokens.  It is locked while a request with
 * its cache on the GPU holds it, held if only suspended requests hold it, and
 * idle if no request does.  Pages on the GPU that are not locked are in a
 * queue; when places are needed, the first of them move to the host.  There,
 * idle pages are in a queue, and the first of them are dropped for those that
 * come.  Idle pages stay as long as the tree of prefixes has them; with a page
 * all that is behind it in the tree is dropped.
 *
 * Invariants: a page on the GPU is locked or in the queue; a node of the tree
 * has a page.  doc/engines.md lists the rules and their source (read).
 * Integers only.  [one thread] */
#pragma once
#include "sim/kv/kv.h"
#include "sim/kv/tree_nodes.h"

enum tier_level { TIER_GPU, TIER_HOST, TIER_LEVELS };

struct tier_page {
	uint32_t node;             /* of the tree; 0: none */
	uint32_t holders, lockers; /* requests; the latter on the GPU alone */
	uint32_t older, younger;   /* in the queue of its level */
	uint16_t level, is_queued, was_queued;
	uint32_t is_there; /* 0: the entry is free, `younger` is the next one */
};

struct kv_tiers {
	struct kv *kv; /* not owned: the tables of requests; pool.used counts
			* the pages that are locked */
	struct tier_page *page;
	uint32_t n, cap, free;
	struct {
		uint64_t used;
		uint32_t oldest, youngest, queued;
	} level[TIER_LEVELS];
	struct tree_nodes nodes;
	/* [nodes.cap] which nodes are below which; 0: none */
	struct {
		uint32_t first, before, after;
	} * child;
	uint32_t cap_children;
	uint32_t *list, cap_list; /* pages that move */
	uint32_t unit;            /* tokens of a block */
	int finds, has_parts;     /* blocks; and parts of blocks */
};
/* kv has tables, and outlives it. */
void kv_tiers_init(struct kv_tiers *t, struct kv *kv, int has_parts);
void kv_tiers_free(struct kv_tiers *t);

/* Returns how many of the first `tokens` tokens it has. */
uint32_t kv_tiers_look(struct kv_tiers *t, const struct kv_owner *o,
		       uint32_t tokens);
/* Returns a key of all tokens up to the end of the first block that is missing
 * among these; 0: there is none that is full. */
uint64_t kv_tiers_missing(struct kv_tiers *t, const struct kv_owner *o,
			  uint32_t tokens);

/* The owner, without pages, holds what the cache has of the tokens. */
void kv_tiers_open(struct kv_tiers *t, struct kv_owner *o, uint32_t tokens);
/* Locks its pages, and brings them to the GPU.  Returns 0, or -1: it cannot. */
int kv_tiers_resume(struct kv_tiers *t, struct kv_owner *o);
/* Takes pages for that many tokens.  Returns 0, or -1 with nothing done. */
int kv_tiers_grow(struct kv_tiers *t, struct kv_owner *o, uint32_t tokens);
void kv_tiers_suspend(struct kv_tiers *t, struct kv_owner *o);
/* Puts the blocks of an owner's first `tokens` tokens into the tree.  ends: 1:
 * these are its last, so a block that is not full is put there, too. */
void kv_tiers_store(struct kv_tiers *t, struct kv_owner *o, uint32_t tokens,
		    int ends);
/* Gives back all pages. */
void kv_tiers_close(struct kv_tiers *t, struct kv_owner *o);
