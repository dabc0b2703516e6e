/* sim/kv/kv_private.h -- places in the tables of struct kv_owner, their keys,
 * and groups of states; for files of the KV cache only.
 *
 * A state at ends of blocks (KV_STATE_ALIGNED) is in the block at the place of
 * the last token, ceil(tokens / block_size) - 1; behind it are blocks for the
 * states of drafts.  When a step ends in a later block, the state gets a new
 * one: the blocks of drafts stay right behind it, those that are in the way
 * move to the end, and what lacks is taken.  The old state stays until the
 * tokens of that step are processed.  A place that nothing fills
 * has the null block, NO_BLOCK.
 * Source: vLLM, v1/core/single_type_kv_cache_manager.py, MambaManager. */
#pragma once
#include "base/whole.h"
#include "sim/kv/kv.h"

/* Returns the index in a table of the first block that is needed after
 * `computed` tokens. */
static inline uint32_t kv_first_needed(const struct kv_kind_use *kind,
				       uint32_t computed)
{
	uint32_t w = kind->is.window;
	return w && computed >= w ? (computed - w + 1) / kind->is.block_size
				  : 0;
}

static inline int kv_is_aligned(const struct kv_kind_use *kind)
{
	return kind->is.state == KV_STATE_ALIGNED;
}

/* Returns the length of a table for `tokens` tokens; not of aligned states. */
static inline uint32_t kv_places(const struct kv_kind_use *kind,
				 uint32_t tokens)
{
	uint32_t n = whole_divide_up(tokens, kind->is.block_size);
	if (tokens == 0 || kind->is.state == KV_TOKENS)
		return n;
	return kind->is.drafts + (kind->is.state == KV_STATE_ALL ? n : 1);
}

/* Returns the blocks in a table, with null blocks; not of aligned states. */
static inline uint32_t kv_length(const struct kv_kind_use *kind,
				 const struct kv_owner *o)
{
	return kv_places(kind, o->covered);
}

/* Returns the table of a group. */
static inline uint32_t *kv_row(const struct kv_owner *o, uint32_t group)
{
	return o->block + (size_t)group * o->cap;
}

/* Returns the found blocks of a group; NULL if no prefix was ever looked up. */
static inline uint32_t *kv_hits(const struct kv *k, uint32_t group)
{
	return k->hit ? k->hit + (size_t)group * k->cap_hits : NULL;
}

/* Returns the key of the block at that index of a group; the content's keys
 * exist. */
uint64_t kv_key_at(const struct kv *k, const struct kv_kind_use *kind,
		   uint32_t group, const struct content *c, uint32_t place);
/* If block sizes differ, a window group keys only the blocks that a hit can
 * use: the last `run` before a multiple of hit_unit, and the block behind it if
 * that is looked up and dropped. */
int kv_has_key(const struct kv *k, const struct kv_kind_use *kind,
	       uint32_t place);
/* Gives the block at that place its key, if it has none. */
void kv_set_key(struct kv *k, const struct kv_kind_use *kind, uint32_t group,
		struct kv_owner *o, uint32_t place);
/* Makes room for n blocks in the table of each group.  Returns -1 if memory is
 * out. */
int kv_reserve(const struct kv *k, struct kv_owner *o, uint32_t n);

/* ---- aligned states ---- */

/* Returns how many more blocks a group needs for a step that ends after `own`
 * tokens. */
uint32_t kv_state_need(const struct kv_kind_use *kind, const struct kv_owner *o,
		       uint32_t own);
/* Takes kv_state_need() blocks in each group of the kind.  Returns -1 if memory
 * is out. */
int kv_state_take(struct kv *k, const struct kv_kind_use *kind,
		  const struct kv_owner *o, uint32_t own);
/* Notes in the owner that every kind of state has taken its blocks. */
void kv_state_taken(const struct kv_kind_use *kind, struct kv_owner *o,
		    uint32_t own);
/* Keys the states of full blocks from place `from` to `to`. */
void kv_state_key(struct kv *k, const struct kv_kind_use *kind,
		  struct kv_owner *o, uint32_t from, uint32_t to);
/* Gives back the states that are not needed after `computed` tokens. */
void kv_state_drop(struct kv *k, const struct kv_kind_use *kind,
		   struct kv_owner *o, uint32_t computed);
/* Gives back all states of the owner, the last first; over: as in
 * kv_give_back(). */
void kv_state_give_back(struct kv *k, const struct kv_kind_use *kind,
			struct kv_owner *o, int over);
/* Returns 1 if the state behind the first `found` tokens was made in this
 * step. */
int kv_state_is_fresh(const struct kv *k, const struct content *c,
		      uint32_t found);
