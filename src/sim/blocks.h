/* sim/blocks.h -- the blocks of one KV cache: which are free, in which order
 * they are taken, and which can be found by a key.
 *
 * A block has a number and counts its users.  Without users it is free; it
 * keeps its key until it is taken for something else.  Several blocks may have
 * the same key: of those, the one that got it first is found.  The free list is
 * taken from the front; a block goes to its back, one without a key to the
 * front if the order is BLOCKS_UNKEYED_FIRST.  (Blocks without a key are alike:
 * which of them is taken makes no difference.)  Of an unlimited number all
 * blocks keep their key, but for those that nobody can ask for.
 *
 * Invariants: free + used = capacity; a block is free if and only if it has no
 * users.  Integers only.  [one thread] */
#ifndef SC_SIM_BLOCKS_H
#define SC_SIM_BLOCKS_H
#include <stdint.h>

#define NO_BLOCK UINT32_MAX
#define BLOCKS_UNLIMITED UINT64_MAX

enum blocks_order { BLOCKS_LRU, BLOCKS_UNKEYED_FIRST };

struct block {
	uint64_t key; /* 0: none */
	uint32_t users;
	uint32_t is_found;       /* it is the first of its key */
	uint32_t older, younger; /* in the free list */
	uint32_t next_in_bucket;
	uint32_t next_same, previous_same; /* ring of blocks of one key */
};

struct blocks {
	enum blocks_order order;
	int unlimited;
	uint64_t capacity, used, peak;
	struct block *block;
	uint32_t n, cap;           /* that were ever taken                   */
	uint32_t oldest, youngest; /* of the free list                       */
	uint32_t alike; /* free blocks without a key that are taken first    */
	uint32_t *bucket;
	uint32_t n_buckets, n_found;
	int out_of_memory; /* sticky */
};

void blocks_init(struct blocks *b, uint64_t capacity, enum blocks_order order);
void blocks_free(struct blocks *b);
/* How many can be taken. */
static inline uint64_t blocks_room(const struct blocks *b)
{
	return b->capacity - b->used;
}
/* The next n free blocks, without their keys, with one user each;
 * blocks_room() was not less.  0, or -1: out of memory. */
int blocks_take(struct blocks *b, uint32_t *taken, uint32_t n);
/* One user more, of a block that was found. */
void blocks_share(struct blocks *b, uint32_t i);
/* One user fewer of each, the last one first.  What are they then? */
enum block_left {
	BLOCK_UNKEYED,
	BLOCK_KEYED,
	BLOCK_NEVER_ASKED, /* it would have a key for which nobody will ask:
			      it takes the place of one that has one         */
};
void blocks_release(struct blocks *b, const uint32_t *block, uint32_t n,
		    enum block_left what);
/* Block i can be found by the key from now on; 0 is none. */
void blocks_set_key(struct blocks *b, uint32_t i, uint64_t key);
/* NO_BLOCK: none has that key. */
uint32_t blocks_find(const struct blocks *b, uint64_t key);
/* Blocks that nobody tells apart: only counted. */
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
#endif
