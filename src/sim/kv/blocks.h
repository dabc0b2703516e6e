/* sim/kv/blocks.h -- the blocks of one KV cache: which are free, in which order
 * they are taken, and which can be found by a key.
 *
 * A block has a number and counts its users.  A block without users is free; it
 * keeps its key until it is taken for something else.  Several blocks may have
 * the same key: the one that got it first is found.  The free list is taken
 * from the front.  A block goes to its back; with BLOCKS_UNKEYED_FIRST a block
 * without a key goes to the front.  (Blocks without a key are interchangeable.)
 * If the number of blocks is unlimited, all blocks keep their key, except those
 * that no request can ask for.
 *
 * Invariants: free + used = capacity; a block is free if and only if it has no
 * users.  Integers only.  [one thread] */
#pragma once
#include <stdint.h>

#define NO_BLOCK UINT32_MAX
#define BLOCKS_UNLIMITED UINT64_MAX

enum blocks_order { BLOCKS_LRU, BLOCKS_UNKEYED_FIRST };

struct block {
	uint64_t key; /* 0: none */
	uint32_t users;
	uint32_t is_found; /* 1: it is the block that is found by its key */
	uint32_t older, younger; /* in the free list */
	uint32_t taken_in;       /* the last call that gave it to a request */
	uint32_t next_same, previous_same; /* ring of all blocks with one key */
	/* Users that will give it back together, see kv_tree_leave(). */
	uint32_t leaving;
};

/* Hears which keys can be found: `has` is 1 when a key begins to be found, 0
 * when no block has it any more. */
struct block_listener {
	void (*tell)(void *user, uint64_t key, int has);
	void *user;
};
static inline void block_tell(const struct block_listener *l, uint64_t key,
			      int has)
{
	if (l)
		l->tell(l->user, key, has);
}

/* Hears, in vLLM's terms (v1/core/block_pool.py), which blocks of a replica get
 * and lose their contents. */
enum block_change_kind {
	BLOCKS_STORED,    /* a request's new full blocks of a group */
	BLOCKS_REMOVED,   /* a block that has a key is taken */
	BLOCKS_CLEARED,   /* the cache is empty */
	BLOCKS_PROCESSED, /* a batch was processed */
};
struct block_change {
	enum block_change_kind kind;
	uint64_t row;          /* of the request */
	uint32_t group, place; /* of the first one in the request's table */
	uint32_t n;
	const uint32_t *block; /* [n] */
};
struct block_watcher {
	void (*tell)(void *user, uint32_t replica,
		     const struct block_change *x);
	void *user;
	uint32_t replica;
};

struct blocks {
	const struct block_listener *listener; /* NULL: none */
	const struct block_watcher *watcher;   /* NULL: none */
	enum blocks_order order;
	int unlimited;
	uint64_t capacity, used, peak;
	uint64_t shares; /* users beyond the first one, of all blocks */
	/* With a tree of prefixes a key is the number of a node; `forget` hears
	 * that a block with a key is taken for something else.  NULL: none. */
	void (*forget)(void *tree, uint32_t block);
	void *tree;
	struct block *block;
	uint32_t n, cap;           /* blocks that were ever taken */
	uint32_t oldest, youngest; /* of the free list */
	uint32_t alike; /* free blocks without a key, which are taken first */
	/* A hash table of the blocks that are found, with linear probing.  It
	 * has half of their keys, so that a look-up reads other memory only
	 * for a hit.  At most half of it is used. */
	struct block_slot {
		uint32_t low;   /* of the key */
		uint32_t block; /* NO_BLOCK: free */
	} * slot;
	uint32_t n_slots, n_found; /* n_slots: 0 or a power of two */
	uint32_t call;     /* number of the present call; 0: not wanted */
	int out_of_memory; /* sticky */
};

void blocks_init(struct blocks *b, uint64_t capacity, enum blocks_order order);
void blocks_free(struct blocks *b);
/* Returns how many blocks can be taken. */
static inline uint64_t blocks_room(const struct blocks *b)
{
	return b->capacity - b->used;
}
/* Takes the next n free blocks; they lose their keys and get one user each.
 * blocks_room() must be at least n.  Returns 0, or -1 if memory is out. */
int blocks_take(struct blocks *b, uint32_t *taken, uint32_t n);
/* Adds a user to a block that was found. */
void blocks_share(struct blocks *b, uint32_t i);
/* Removes one user from each block, the last block first.  `what` says what the
 * blocks become: */
enum block_left {
	BLOCK_UNKEYED,
	BLOCK_KEYED,
	/* A block with a key that no request will ask for: it takes the place
	 * of a block with such a key. */
	BLOCK_NEVER_ASKED,
};
void blocks_release(struct blocks *b, const uint32_t *block, uint32_t n,
		    enum block_left what);
/* From now on block i, which has none, is found by the key. */
void blocks_set_key(struct blocks *b, uint32_t i, uint64_t key);
/* Block i is found by no key from now on. */
void blocks_drop_key(struct blocks *b, uint32_t i);
/* Fetches the memory for blocks_find() of that key. */
static inline void blocks_prefetch(const struct blocks *b, uint64_t key)
{
	if (b->n_slots)
		__builtin_prefetch(&b->slot[(uint32_t)key & (b->n_slots - 1)]);
}
/* Returns NO_BLOCK if no block has that key. */
uint32_t blocks_find(const struct blocks *b, uint64_t key);
/* Takes blocks that are only counted, because they need no identity. */
static inline void blocks_count(struct blocks *b, uint64_t n)
{
	b->used += n;
	if (b->peak < b->used)
		b->peak = b->used;
}
static inline void blocks_count_back(struct blocks *b, uint64_t n)
{
	b->used -= n;
}
