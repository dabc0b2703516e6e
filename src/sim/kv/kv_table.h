/* sim/kv/kv_table.h -- the blocks of a request in one KV-cache group, for those
 * who copy them.  [one thread] */
#pragma once
#include "sim/kv/kv.h"

/* block[first … n - 1]; null blocks are before `first`.  Valid until the
 * owner takes or gives back blocks. */
struct kv_table {
	const uint32_t *block;
	uint32_t first, n;
};
/* The cache has tables: its blocks have an identity. */
struct kv_table kv_table(const struct kv *k, const struct kv_owner *o,
			 uint32_t group);
