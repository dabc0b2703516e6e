/* sim/kv.h -- the KV cache of one replica: what each request has in it, in one
 * table of blocks for each KV-cache group.
 *
 * The groups (engine/kv_groups.h) take their blocks from one pool.  A group of
 * full attention keeps all tokens; one of a sliding window gives back what lies
 * before the window, and its table keeps a hole there.  With prefix caching a
 * full block has a key, (group, all tokens up to its end), and is found by
 * another request with the same tokens.  Without, blocks are only counted.
 *
 * Keys are made when somebody could ask for them: of tokens that others may
 * have, when the block is full; of a request's own, when it gives the block
 * back and may come again.  It makes no difference to what is found.
 *
 * Sources: vLLM, v1/core/kv_cache_manager.py, single_type_kv_cache_manager.py,
 * kv_cache_coordinator.py.  Integers only.  [one thread] */
#ifndef SC_SIM_KV_H
#define SC_SIM_KV_H
#include <stdint.h>
#include "engine/kv_groups.h"
#include "sim/blocks.h"
#include "sim/content.h"

struct kv_kind_use {
	struct kv_kind is;
	uint32_t first_group;
	uint32_t run;  /* window: blocks in a row that make a hit            */
	uint32_t most; /* blocks that admission asks for in a group          */
};

/* A drafter that reads hidden states needs the last block of a found prefix
 * computed: it is dropped, */
enum kv_drop {
	KV_DROP_NONE,
	KV_DROP_EACH, /* in each look-up of a kind                            */
	KV_DROP_ONCE, /* in that which a kind's result comes from             */
};

struct kv {
	struct blocks pool;
	struct kv_kind_use kind[KV_KINDS];
	uint32_t n_kinds, n_groups;
	uint32_t by_rank[KV_KINDS]; /* kinds, full attention first           */
	uint32_t hit_unit, key_unit;
	int caching, has_windows;
	enum kv_drop drop;
	/* what kv_find() found last: by group, at their place in the table  */
	uint32_t *hit;
	uint32_t cap_hits;  /* of one group                                   */
	uint32_t computed;  /* tokens that need not be computed: found, or
			       from elsewhere                                 */
	uint64_t idle_hits; /* of them without users                         */
};

/* What one request has.  Zeroed: nothing. */
struct kv_owner {
	uint32_t covered; /* tokens that its blocks were taken for           */
	uint32_t dropped; /* tokens that were computed when windows last gave
			     blocks back                                     */
	uint32_t keyed;   /* tokens up to which full blocks can be found     */
	/* with how many tokens something is to be done next: blocks do not
	 * suffice, one of them is full, a window gives one back; the soonest */
	uint32_t cover_due, key_due, drop_due, due;
	/* prefix caching only: tables of `cap` blocks, a group's behind
	 * another's */
	uint32_t cap;
	uint32_t *block;
	struct content *content; /* NULL: not cached; owned                  */
};

struct kv_options {
	const struct kv_groups *groups; /* n_kinds 0: one group of block_size */
	uint64_t n_blocks;              /* BLOCKS_UNLIMITED */
	uint32_t block_size;
	int caching;
	enum blocks_order order;
	enum kv_drop drop;
	uint32_t most_in_flight; /* tokens, for the bound of window groups   */
	uint32_t max_len;        /* 0: none */
};
void kv_init(struct kv *k, const struct kv_options *o);
void kv_free(struct kv *k);
void kv_owner_free(struct kv_owner *o);
/* It has given everything back and goes to another cache. */
void kv_owner_clear(struct kv_owner *o);
static inline uint64_t kv_room(const struct kv *k)
{
	return blocks_room(&k->pool);
}

/* ---- a request that waits ---- */

/* Tokens from its start, at most `most`, that the cache has for it in every
 * group; what was found is remembered until the next call.  Sticky
 * k->pool.out_of_memory without memory. */
uint32_t kv_find(struct kv *k, const struct kv_owner *o, uint32_t most);
/* Behind the `found` tokens that kv_find() has just found, others come from
 * elsewhere, up to `computed`: windows need only what these still reach. */
void kv_await(struct kv *k, uint32_t found, uint32_t computed);
/* Free blocks that it takes to hold `tokens` tokens, what kv_find() has just
 * found (0: nothing was looked for) among them. */
uint64_t kv_need_first(const struct kv *k, uint32_t found, uint32_t tokens);
/* The same, of which a window group asks for no more than it can ever hold. */
uint64_t kv_need_whole(const struct kv *k, uint32_t found, uint32_t tokens);
/* Takes what kv_find() has just found.  -1: out of memory. */
int kv_begin(struct kv *k, struct kv_owner *o, uint32_t found);

/* ---- one that has blocks ---- */

/* Nothing is to be taken, given back or found for it in a step after which it
 * has so many tokens. */
static inline int kv_is_quiet(const struct kv_owner *o, uint32_t tokens)
{
	return tokens < o->due;
}
uint64_t kv_need(const struct kv *k, const struct kv_owner *o, uint32_t tokens);
/* The same, of which a window group asks for no more than it can ever hold. */
uint64_t kv_need_rest(const struct kv *k, const struct kv_owner *o,
		      uint32_t tokens);
/* Blocks for `tokens` tokens; the caller has looked at kv_need().  -1: out of
 * memory. */
int kv_cover(struct kv *k, struct kv_owner *o, uint32_t tokens);
/* Gives back what windows do not reach any more after `computed` tokens. */
void kv_drop(struct kv *k, struct kv_owner *o, uint32_t computed);
/* Blocks that are full with `tokens` tokens can be found from now on. */
void kv_key(struct kv *k, struct kv_owner *o, uint32_t tokens);
/* Gives back everything, a group after another, the last block first.  over:
 * nobody continues this request. */
void kv_give_back(struct kv *k, struct kv_owner *o, int over);
#endif
