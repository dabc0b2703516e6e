/* sim/kv/kv.h -- the KV cache of one replica: the blocks of each request, in
 * one table per KV-cache group.
 *
 * The groups (engine/memory/kv_groups.h) take their blocks from one pool.  A
 * group of full attention keeps all tokens.  A group with a sliding window
 * gives back the blocks before its window, where its table keeps null
 * blocks.
 * A group of states (linear attention) has one block for the state, and one for
 * each draft: see sim/kv/kv_private.h.
 * With prefix caching a full block has a key, (group, all tokens up to its
 * end), and another request with the same tokens finds it.  Without prefix
 * caching blocks are only counted.
 *
 * A key is made when another request could ask for it: for tokens that others
 * may have, when the block is full; for a request's own tokens, when the
 * request gives the block back and may return.  This finds the same blocks as
 * keys made at once.
 *
 * Sources: vLLM, v1/core/kv_cache_manager.py, single_type_kv_cache_manager.py,
 * kv_cache_coordinator.py.  Integers only.  [one thread] */
#pragma once
#include <stdint.h>
#include "engine/memory/kv_groups.h"
#include "sim/kv/blocks.h"
#include "sim/kv/content.h"

struct kv_kind_use {
	/* With prefix caching the window of a state is two tokens: the state
	 * after all tokens is in the last block. */
	struct kv_kind is;
	uint32_t first_group;
	/* With a window: how many blocks in a row make a hit. */
	uint32_t run;
	uint32_t most; /* blocks per group that admission asks for, at most */
};

/* A drafter that reads hidden states needs the last block of a found prefix
 * computed, so that block is dropped from the hit: */
enum kv_drop {
	KV_DROP_NONE,
	KV_DROP_EACH, /* in each look-up of a kind */
	KV_DROP_ONCE, /* in the look-up that gives a kind's result */
};

struct kv {
	struct blocks pool;
	/* Hears when the first block of a prompt gets its key, also if it has
	 * heard that before; NULL: none. */
	const struct block_listener *first_listener;
	struct kv_kind_use kind[KV_KINDS];
	uint32_t n_kinds, n_groups;
	uint32_t by_rank[KV_KINDS]; /* kinds, full attention first */
	uint32_t hit_unit, key_unit;
	int caching; /* 1: blocks have an identity, and requests tables */
	int finds;   /* 1: look-ups find blocks, which requests then share */
	int has_windows;
	int is_aligned; /* 1: some groups keep states at ends of blocks */
	enum kv_drop drop;
	/* Blocks that kv_find() found last: by group, at their index in the
	 * table. */
	uint32_t *hit;
	uint32_t cap_hits; /* per group */
	/* tokens that are not computed here: found, or computed elsewhere */
	uint32_t computed;
	uint64_t idle_hits; /* found blocks without users */
	/* tokens that full attention had, before others shortened the hit */
	uint32_t full_found;
	int found_is_fresh; /* 1: a state of the hit was made in this step */
	/* keys of states that were made in this step, in their first group */
	uint64_t *fresh;
	uint32_t n_fresh, cap_fresh;
};

/* A request with a cache on two levels (kv_tiers.h). */
struct kv_owner_tiers {
	uint32_t stored;  /* tokens that are in the tree, or were found there */
	uint16_t is_open; /* 1: the request has a cache */
	uint16_t is_active; /* 1: that cache is locked in the GPU's memory */
	uint16_t stores;    /* 1: its blocks get into the tree */
	/* 1: the last block is another request's, and only its first tokens
	 * match.  kv_tiers_resume() replaces it by a copy, which the request
	 * can fill. */
	uint16_t copies;
};

/* The blocks of one request.  Zeroed means none. */
struct kv_owner {
	uint32_t covered; /* tokens that its blocks were taken for */
	/* Tokens that were computed when windows last gave blocks back. */
	uint32_t dropped;
	uint32_t keyed; /* full blocks up to this token can be found */
	/* The number of tokens at which work is due next: more blocks are
	 * needed, a block is full, a window gives a block back; `due` is the
	 * least of them. */
	uint32_t cover_due, key_due, drop_due, due;
	/* States at ends of blocks; the same in all groups that have them. */
	uint32_t state_places; /* length of the table, with null blocks */
	uint32_t state_before; /* place of the previous state, or NO_BLOCK */
	uint32_t has_state;    /* 1: the request has a state of its own */
	/* [n_groups][cap] the tables of all groups; only with `caching`. */
	uint32_t cap;
	uint32_t *block;
	struct content *content; /* NULL: not cached; owned */
	struct kv_owner_tiers tiers;
};

struct kv_options {
	const struct kv_groups *groups; /* n_kinds 0: one group of block_size */
	uint64_t n_blocks;              /* or BLOCKS_UNLIMITED */
	uint32_t block_size;
	int caching; /* 1: prefixes are found */
	int tables;  /* 1: blocks have an identity even without `caching` */
	enum blocks_order order;
	enum kv_drop drop;
	uint32_t most_in_flight; /* tokens, for the bound of window groups */
	uint32_t max_len;        /* 0: no limit */
};
void kv_init(struct kv *k, const struct kv_options *o);
void kv_free(struct kv *k);
void kv_owner_free(struct kv_owner *o);
/* Call it when the owner has given everything back and moves to another
 * cache. */
void kv_owner_clear(struct kv_owner *o);
static inline uint64_t kv_room(const struct kv *k)
{
	return blocks_room(&k->pool);
}

/* A new step begins: the states made so far can be found from now on. */
static inline void kv_begin_step(struct kv *k)
{
	k->n_fresh = 0;
}

/* ---- a waiting request ---- */

/* Returns how many tokens from the start, at most `most`, the cache has in
 * every group; the found blocks are remembered until the next call.  If memory
 * runs out, k->pool.out_of_memory is set and stays set. */
uint32_t kv_find(struct kv *k, const struct kv_owner *o, uint32_t most);
/* Tells that behind the `found` tokens that kv_find() has just found, others
 * come from elsewhere, up to `computed`: windows need only the blocks that they
 * still reach from there. */
void kv_await(struct kv *k, uint32_t found, uint32_t computed);
/* Takes the blocks that kv_find() has just found.  Returns -1 if memory is
 * out. */
int kv_begin(struct kv *k, struct kv_owner *o, uint32_t found);

/* ---- a request with blocks ---- */

/* Returns 1 if a step after which the request has `tokens` tokens takes, gives
 * back and keys no block. */
static inline int kv_is_quiet(const struct kv_owner *o, uint32_t tokens)
{
	return tokens < o->due;
}
/* Takes blocks for the first `tokens` tokens; the caller has checked kv_need().
 * The step ends after the first `own` of them; tokens behind are those of later
 * drafts.  States at ends of blocks are taken for `own` tokens.  Returns -1 if
 * memory is out. */
int kv_cover_own(struct kv *k, struct kv_owner *o, uint32_t tokens,
		 uint32_t own);
static inline int kv_cover(struct kv *k, struct kv_owner *o, uint32_t tokens)
{
	return kv_cover_own(k, o, tokens, tokens);
}
/* Gives back the blocks that windows do not reach any more after `computed`
 * tokens. */
void kv_drop(struct kv *k, struct kv_owner *o, uint32_t computed);
/* Makes the blocks that are full with `tokens` tokens available to look-ups. */
void kv_key(struct kv *k, struct kv_owner *o, uint32_t tokens);
/* Moves everything from the owner to the result, which the caller gives back
 * later.  Look-ups find its blocks as if they had been given back now. */
struct kv_owner kv_detach(struct kv *k, struct kv_owner *o, int over);
/* Gives back all blocks of the owner, one group after another, the last block
 * first.  over: 1 if no later request continues this one, so that its own
 * tokens are never looked up. */
void kv_give_back(struct kv *k, struct kv_owner *o, int over);
/* The same, but the groups count as one list, which is given back from its end:
 * the last group first. */
void kv_give_back_as_one(struct kv *k, struct kv_owner *o, int over);
