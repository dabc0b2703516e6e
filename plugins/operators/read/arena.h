/* read/arena.h -- Room that create() allocates once.  The instance owns it; all
 * that is taken lives until the instance is destroyed. */
#ifndef OPERATORS_READ_ARENA_H
#define OPERATORS_READ_ARENA_H
#include <stddef.h>

struct arena {
	char *base;
	size_t size, used;
};

/* Zeroed room for n elements; NULL: there is none left. */
void *arena_take(struct arena *a, size_t n, size_t size);
#endif
