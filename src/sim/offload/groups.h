/* sim/offload/groups.h -- the KV-cache groups of an engine as chunks see them,
 * and the keys of chunks.
 *
 * A chunk is of one group: blocks_per_chunk blocks of it that follow each
 * other.  All groups have blocks of the same number of tokens.  The key of a
 * chunk is that of its last block: (group, all tokens up to its end).
 *
 * Source: vLLM,
 * distributed/kv_transfer/kv_connector/v1/offloading/scheduler.py. [one thread]
 */
#pragma once
#include <stdint.h>
#include "engine/engine.h"

struct offload_group {
	uint32_t window; /* tokens that are kept; 0: all */
	/* Chunks that the window reaches over; 0: full attention. */
	uint32_t window_chunks;
	double block_bytes; /* on one GPU */
};

struct offload_groups {
	uint32_t n, block_tokens, chunk_blocks, chunk_tokens;
	int has_windows;
	struct offload_group *of; /* [n] */
	/* [n] groups in the order of a look-up: full attention, then windows,
	 * the largest first.  The first n_full are full attention. */
	uint32_t *by_rank, n_full;
};

/* n_kinds 0: one group of `block_tokens` tokens a block.  Returns 0, or -1 if
 * memory is out; offload_groups_free() in either case. */
int offload_groups_init(struct offload_groups *g, const struct kv_groups *kv,
			uint32_t block_tokens, uint32_t chunk_blocks);
void offload_groups_free(struct offload_groups *g);
/* Returns the first block that the group needs after `computed` tokens. */
uint32_t offload_first_block(const struct offload_groups *g, uint32_t group,
			     uint32_t computed);

/* Tokens of a request, as keys of its chunks are made of them. */
struct offload_text {
	uint32_t known; /* tokens */
	/* For each full block the key, not 0, of all tokens up to its end. */
	const uint64_t *key;
};
static inline uint32_t offload_text_chunks(const struct offload_groups *g,
					   const struct offload_text *x)
{
	return x->known / g->chunk_tokens;
}
/* Returns the key, not 0, of a chunk that the text has. */
uint64_t offload_key(const struct offload_groups *g,
		     const struct offload_text *x, uint32_t group,
		     uint32_t chunk);
