/* kv_need.c -- Counts the blocks that a number of tokens takes in all groups.
 */
#include "sim/kv/kv_need.h"
#include "sim/kv/kv_private.h"

/* Returns the blocks in a table that begins with the found blocks; the null
 * blocks before a window count too. */
static uint32_t begun(const struct kv *k, const struct kv_kind_use *kind,
		      uint32_t found)
{
	uint32_t hits = found ? found / kind->is.block_size : 0;
	uint32_t skipped = kv_first_needed(kind, k->computed);
	return hits > skipped ? hits : skipped;
}

uint64_t kv_need_first(const struct kv *k, uint32_t found, uint32_t tokens)
{
	uint64_t n = k->idle_hits;
	for (uint32_t i = 0; i < k->n_kinds; i++) {
		const struct kv_kind_use *kind = &k->kind[i];
		uint32_t blocks =
		    kv_is_aligned(kind)
			? 1 + kind->is.drafts
			: kv_places(kind, tokens) - begun(k, kind, found);
		n += (uint64_t)kind->is.n_groups * blocks;
	}
	return n;
}

uint64_t kv_need_whole(const struct kv *k, uint32_t found, uint32_t tokens)
{
	uint64_t n = k->idle_hits;
	for (uint32_t i = 0; i < k->n_kinds; i++) {
		const struct kv_kind_use *kind = &k->kind[i];
		uint32_t all = kv_places(kind, tokens);
		uint32_t has = begun(k, kind, found);
		if (kv_is_aligned(kind)) {
			all = 1 + kind->is.drafts;
			has = 0;
		}
		if (kind->is.window && !kind->is.state && all > kind->most)
			all = kind->most;
		if (all > has)
			n += (uint64_t)kind->is.n_groups * (all - has);
	}
	return n;
}

/* Returns how many blocks the owner needs more for `tokens` tokens.  bounded: a
 * window group counts at most the blocks that it holds at once. */
static uint64_t need(const struct kv *k, const struct kv_owner *o,
		     uint32_t tokens, uint32_t own, int bounded)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < k->n_kinds; i++) {
		const struct kv_kind_use *kind = &k->kind[i];
		uint32_t all = kv_places(kind, tokens);
		uint32_t has = kv_length(kind, o);
		if (kv_is_aligned(kind)) {
			all = kv_state_need(kind, o, own);
			has = 0;
		}
		if (bounded && kind->is.window && !kind->is.state &&
		    all > kind->most)
			all = kind->most;
		if (all > has)
			n += (uint64_t)kind->is.n_groups * (all - has);
	}
	return n;
}

uint64_t kv_need_own(const struct kv *k, const struct kv_owner *o,
		     uint32_t tokens, uint32_t own)
{
	return need(k, o, tokens, own, 0);
}

uint64_t kv_need_rest(const struct kv *k, const struct kv_owner *o,
		      uint32_t tokens)
{
	return need(k, o, tokens, tokens, 1);
}
