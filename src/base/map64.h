/* base/map64.h -- a hash map from uint64_t to uint64_t; entries are never
 * removed.  hash_mix() scrambles the keys; every key is allowed. */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct map64 {
	struct map64_entry {
		uint64_t key, value;
		int used;
	} * entry;
	size_t n, cap; /* cap: 0 or a power of two */
};

/* Returns the value of a key, valid until the next map64_at().  A key that is
 * not there is added with value 0, and *is_new becomes 1; is_new may be NULL.
 * Returns NULL if memory is out. */
uint64_t *map64_at(struct map64 *m, uint64_t key, int *is_new);
void map64_free(struct map64 *m);
