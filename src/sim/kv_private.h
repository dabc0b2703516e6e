/* sim/kv_private.h -- places in the tables of struct kv_owner; for files of the
 * KV cache only. */
#ifndef SC_SIM_KV_PRIVATE_H
#define SC_SIM_KV_PRIVATE_H
#include "base/whole.h"
#include "sim/kv.h"

/* Returns the index in a table of the first block that is needed after
 * `computed` tokens. */
static inline uint32_t kv_first_needed(const struct kv_kind_use *kind,
				       uint32_t computed)
{
	uint32_t w = kind->is.window;
	return w && computed >= w ? (computed - w + 1) / kind->is.block_size
				  : 0;
}

/* Returns the blocks in a table, holes included. */
static inline uint32_t kv_length(const struct kv_kind_use *kind,
				 const struct kv_owner *o)
{
	return whole_divide_up(o->covered, kind->is.block_size);
}
#endif
