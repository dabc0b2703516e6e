/* sim/offload/chunks.h -- chunks of KV in the memory of a host: which are
 * there, and which gives way to a new one.
 *
 * A chunk is pending until its store is noticed; then it is idle, or held by
 * loads.  Only idle chunks are evicted.
 *
 *   lru  a list of the idle ones; the first is evicted.  A chunk enters at the
 *        end when it becomes idle, and moves there when it is touched
 *   arc  lists of all chunks, T1 and T2, and of keys that were evicted, B1 and
 *        B2; T1 has `target` places
 *
 * Source: vLLM, v1/kv_offload/cpu/policies.  A list of keys is touched from its
 * end, so that the first of them is evicted last.  Keys are not 0.  [one
 * thread] */
#pragma once
#include <stdint.h>
#include "engine/choices.h"

#define NO_CHUNK UINT32_MAX

/* Lists; with lru CHUNKS_IDLE alone.  From CHUNKS_GHOST on they have keys of
 * chunks that were evicted. */
enum chunk_list {
	CHUNKS_IDLE,
	CHUNKS_AGAIN,
	CHUNKS_GHOST,
	CHUNKS_GHOST_AGAIN,
	N_CHUNK_LISTS
};

struct chunk {
	uint64_t key;
	uint32_t loads; /* that hold it */
	uint16_t is_pending;
	uint16_t is_chosen; /* 1: it is being evicted, or must not be */
	uint16_t list;      /* enum chunk_list */
	uint16_t is_listed; /* 1: it is in that list */
	uint32_t older, younger, next_in_bucket;
};

struct chunks {
	enum eviction_policy policy;
	uint64_t capacity, n, peak, evicted;
	double target; /* arc */
	struct chunk_order {
		uint32_t oldest, youngest;
		uint64_t n;
	} order[N_CHUNK_LISTS];
	struct chunk *chunk;
	uint32_t n_made, cap, unused;
	uint32_t *bucket;
	uint32_t n_buckets, n_keys;
	uint32_t *victim; /* of the eviction under way */
	uint32_t n_victims, cap_victims;
	int out_of_memory; /* sticky */
};

void chunks_init(struct chunks *c, uint64_t capacity,
		 enum eviction_policy policy);
void chunks_free(struct chunks *c);
/* Returns the chunk with that key that is there, pending or not; or NO_CHUNK.
 */
uint32_t chunks_find(const struct chunks *c, uint64_t key);
/* Makes room for n new chunks, without those of keys[0 … n_keys - 1].  Returns
 * 0, or -1 if that is not possible, and nothing is evicted. */
int chunks_make_room(struct chunks *c, uint64_t n, const uint64_t *key,
		     uint32_t n_keys);
/* Puts in a pending chunk; there is room, and no chunk has the key.  Returns
 * NO_CHUNK if memory is out. */
uint32_t chunks_add(struct chunks *c, uint64_t key);
void chunks_touch(struct chunks *c, const uint64_t *key, uint32_t n);
/* Notes that the engine noticed the end of a chunk's store. */
void chunks_stored(struct chunks *c, uint32_t i);
/* Holds a chunk while a load reads it, and lets it go when the engine noticed
 * the end of the load. */
void chunks_hold(struct chunks *c, uint32_t i);
void chunks_let_go(struct chunks *c, uint32_t i);
