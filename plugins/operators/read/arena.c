/* arena.c -- Room that create() makes once and everything else takes from. */
#include "read/arena.h"
#include <string.h>

void *arena_take(struct arena *a, size_t n, size_t size)
{
	size_t bytes = (n * size + 15) / 16 * 16;
	if (bytes > a->size - a->used)
		return NULL;
	char *at = a->base + a->used;
	a->used += bytes;
	return at; /* calloc() made it zero */
}
