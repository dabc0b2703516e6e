/* base/map64.h -- a hash map from uint64_t to uint64_t that only grows.  Keys
 * are scattered by hash_mix(); every key is allowed. */
#ifndef SC_BASE_MAP64_H
#define SC_BASE_MAP64_H
#include <stddef.h>
#include <stdint.h>

struct map64 {
	struct map64_entry {
		uint64_t key, value;
		int used;
	} * entry;
	size_t n, cap; /* cap: 0 or a power of two                           */
};

/* The value of a key, made with 0 if it was not there (then *is_new is 1;
 * is_new may be NULL); until the next map64_at().  NULL: out of memory. */
uint64_t *map64_at(struct map64 *m, uint64_t key, int *is_new);
void map64_free(struct map64 *m);
#endif
