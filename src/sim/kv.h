/* sim/kv.h -- the KV cache of one replica: blocks, and finding them again.
 *
 * Without prefix caching blocks are alike and only counted.  With it each
 * block has a number, a reference count, and, once full, a key: a hash of its
 * content and of all that stands before it, so that equal keys mean equal
 * prefixes.  Blocks that nobody uses stay in the free list, least recently used
 * first, and keep their key until they are taken for something else; several
 * blocks may have the same key, the oldest of them is found (as in vLLM V1).
 * An unlimited cache forgets nothing that another request could ask for.
 *
 * Invariants: free + used = capacity; a block is in the free list if and only
 * if its reference count is 0; a block that is not full has one owner.
 * Integers only.  [one thread] */
#ifndef SC_SIM_KV_H
#define SC_SIM_KV_H
#include <stdint.h>
#include "workload/request.h"

/* ---- content, from which keys are made ---- */

/* Prompt and output of one request as segments.  Ids of segments that were
 * given never equal those of tokens that are unlike all others. */
struct content {
	struct segment *segment;
	uint32_t n;
	uint32_t shared_tokens; /* before this, all came from given segments */
};
/* 0, or -1: out of memory.  Segments beyond the prompt are cut off. */
int content_make(struct content *c, const struct request *r);
void content_free(struct content *c);

/* How far the keys of a sequence have come; zeroed: before its first block. */
struct chain {
	uint64_t key; /* of the block before */
	uint32_t segment, offset;
};
/* The key of the next full block. */
uint64_t chain_next(struct chain *at, const struct content *c,
		    uint32_t block_size);

/* ---- blocks ---- */

struct kv_block {
	uint64_t key; /* 0: none */
	uint32_t references;
	uint32_t is_found;       /* it is the oldest of its key */
	uint32_t older, younger; /* in the free list */
	uint32_t next_in_bucket;
	uint32_t next_same, previous_same; /* ring of blocks of one key */
};

struct kv {
	uint32_t block_size;
	int caching, unlimited;
	uint64_t capacity, used, peak; /* blocks */
	/* caching only */
	struct kv_block *block;
	uint32_t n_blocks, cap_blocks; /* that were ever used */
	uint32_t oldest, youngest;     /* of the free list */
	uint32_t dead; /* unlimited: blocks that nobody can ask for */
	uint32_t *bucket;
	uint32_t n_buckets, n_found;
	/* what kv_find() found last */
	uint32_t *hit;
	uint32_t n_hits, cap_hits;
	struct chain after_hits;
	int out_of_memory; /* sticky */
};

/* Blocks that a sequence has; caching only. */
struct kv_table {
	uint32_t *block;
	uint32_t n, cap;
	struct chain chain; /* after the last block that has a key */
	uint32_t n_keyed, n_full;
};

/* A sequence, as the cache knows it. */
struct kv_owner {
	struct content content;
	struct kv_table table;
};

/* n_blocks: UINT64_MAX is unlimited. */
void kv_init(struct kv *k, uint64_t n_blocks, uint32_t block_size, int caching);
void kv_free(struct kv *k);
uint64_t kv_room(const struct kv *k); /* blocks that can be had */

/* Leading blocks of c, at most max, that the cache has; *idle of them are in
 * the free list and would leave it. */
uint32_t kv_find(struct kv *k, const struct content *c, uint32_t max,
		 uint32_t *idle);
/* Takes what kv_find() has just found, for an empty table.  -1: out of
 * memory. */
int kv_take_found(struct kv *k, struct kv_table *t);
/* n more blocks; the caller has looked at kv_room().  -1: out of memory. */
int kv_take(struct kv *k, struct kv_table *t, uint32_t n);
/* The same where blocks are only counted. */
void kv_count(struct kv *k, uint64_t n);
void kv_count_back(struct kv *k, uint64_t n);
/* The table's first n blocks are full.  Those of shared tokens can be found
 * from now on, the others when they are given back. */
void kv_full(struct kv *k, struct kv_table *t, const struct content *c,
	     uint32_t n);
/* Gives back all blocks, the last one first.  over: nobody continues this
 * sequence, so the blocks behind its shared tokens are never asked for. */
void kv_give_back(struct kv *k, struct kv_table *t, const struct content *c,
		  int over);
void kv_table_free(struct kv_table *t);
#endif
