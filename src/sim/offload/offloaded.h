/* sim/offload/offloaded.h -- what the copies between GPU and host know of one
 * request: how far it is stored, and which blocks it was given.
 *
 * It keeps the blocks that it was given since its last admission also when a
 * window has given them back: they are stored, unless another request got them
 * before that.
 *
 * Source: vLLM,
 * distributed/kv_transfer/kv_connector/v1/offloading/scheduler.py. [one thread]
 */
#pragma once
#include <stdint.h>
#include "sim/kv/blocks.h"
#include "sim/kv/kv.h"
#include "sim/offload/groups.h"

enum load { LOAD_NONE, LOAD_UNDER_WAY, LOAD_DONE };

struct given_block {
	uint32_t block; /* NO_BLOCK: none, it was before the window */
	uint32_t call;  /* that gave it */
};

struct offloaded_group {
	uint32_t stored;  /* chunks from the start that need no store */
	uint32_t found;   /* chunks that the last look-up found anywhere */
	uint32_t n_given; /* blocks, by their places */
	uint32_t cap_given;
	struct given_block *given;
};

/* What a request has on the host.  It exists as long as the request, and until
 * the last of its jobs has ended. */
struct offloaded {
	uint64_t row;
	uint32_t stores;    /* jobs under way */
	uint32_t jobs;      /* loads, too */
	uint32_t loaded_to; /* tokens computed when the load is done */
	enum load load;
	int64_t load_seen_ns;  /* LOAD_DONE: when that was noticed */
	int is_first;          /* 1: it loads before its first token */
	int is_over;           /* 1: the request ended */
	uint32_t preempted_in; /* the call; 0: none */
	int is_kept;           /* 1: it waits for its last stores */
	uint32_t n_groups;
	struct offloaded_group group[];
};

/* Returns NULL if memory is out. */
struct offloaded *offloaded_new(uint64_t row, uint32_t n_groups);
void offloaded_free(struct offloaded *of);
/* Forgets the blocks of a request that will be looked up again. */
void offloaded_forget_blocks(struct offloaded *of);
/* Notes the blocks of a request that is in a step, and that the call
 * kv->pool.call gave them.  Returns 0, or -1 if memory is out. */
int offloaded_note_blocks(struct offloaded *of, struct kv *kv,
			  const struct kv_owner *owner);
/* Notes that the call kv->pool.call gave all blocks of the owner. */
void offloaded_take_all(struct kv *kv, const struct kv_owner *owner);
/* Returns the block at that place of a group; NO_BLOCK: it has none, or a later
 * call gave the block away. */
static inline uint32_t offloaded_block(const struct offloaded *of,
				       const struct offload_groups *g,
				       uint32_t group, uint32_t place,
				       const struct blocks *pool)
{
	const struct given_block *x = &of->group[group].given[place];
	if (!g->of[group].window || x->block == NO_BLOCK)
		return x->block;
	return pool->block[x->block].taken_in > x->call ? NO_BLOCK : x->block;
}
