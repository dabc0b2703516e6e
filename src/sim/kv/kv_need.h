/* sim/kv/kv_need.h -- how many free blocks a request needs to get further; the
 * caller compares that with kv_room().  [one thread] */
#pragma once
#include "sim/kv/kv.h"

/* ---- a waiting request ---- */

/* Returns how many free blocks are needed to hold `tokens` tokens, including
 * the free ones among those that kv_find() has just found (found 0: no
 * look-up). */
uint64_t kv_need_first(const struct kv *k, uint32_t found, uint32_t tokens);
/* The same, but a window group asks for no more than it can ever hold. */
uint64_t kv_need_whole(const struct kv *k, uint32_t found, uint32_t tokens);

/* ---- a request with blocks ---- */

/* Returns how many more blocks it needs to hold `tokens` tokens; own: as in
 * kv_cover_own(). */
uint64_t kv_need_own(const struct kv *k, const struct kv_owner *o,
		     uint32_t tokens, uint32_t own);
static inline uint64_t kv_need(const struct kv *k, const struct kv_owner *o,
			       uint32_t tokens)
{
	return kv_need_own(k, o, tokens, tokens);
}
/* The same, but a window group asks for no more than it can ever hold. */
uint64_t kv_need_rest(const struct kv *k, const struct kv_owner *o,
		      uint32_t tokens);
