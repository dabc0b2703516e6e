/* sim/route/holders.h -- an index from block keys to the replicas that have the
 * block: one look-up answers for all replicas.
 *
 * A key (sim/kv/content.h) tells a block and all tokens before it.  Zeroed
 * memory with n_words set is an empty index.  Integers only.  [one thread] */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct holders {
	uint32_t n_words; /* of a set of replicas: 64 in a word */
	size_t n, cap;    /* cap: 0 or a power of two */
	/* [cap] of a key (0: free) and its set of replicas */
	uint64_t *entry;
	int out_of_memory; /* sticky */
};
static inline uint32_t holders_words(uint32_t replicas)
{
	return (replicas + 63) / 64;
}
/* Returns the set of replicas that have the block, valid until the index
 * changes; NULL: none has. */
const uint64_t *holders_find(const struct holders *h, uint64_t key);
void holders_add(struct holders *h, uint64_t key, uint32_t replica);
/* The replica has the block no more; nothing happens if it had not. */
void holders_remove(struct holders *h, uint64_t key, uint32_t replica);
/* The replica has no block any more. */
void holders_forget(struct holders *h, uint32_t replica);
void holders_free(struct holders *h);
/* Fills in run[i], for each of n replicas: how many of the first n_keys blocks
 * it has in a row from the start.  alive: [n_words], for the function's own
 * use. */
void holders_runs(const struct holders *h, const uint64_t *key, uint32_t n_keys,
		  uint32_t *run, uint32_t n, uint64_t *alive);
/* Fills in count[i]: how many of the blocks it has, up to the first block that
 * no replica has, whether it has the blocks before or not.  Returns the number
 * of blocks up to there. */
uint32_t holders_counts(const struct holders *h, const uint64_t *key,
			uint32_t n_keys, uint32_t *count, uint32_t n);
