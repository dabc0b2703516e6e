/* arrays.c -- Allocates arrays in a list. */
#include "base/arrays.h"
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The items are behind it. */
struct array {
	alignas(max_align_t) struct array *older;
};

void *arrays_add(struct arrays *a, size_t n, size_t item_bytes)
{
	size_t most = (SIZE_MAX - sizeof(struct array)) / item_bytes;
	struct array *x =
	    n <= most ? calloc(1, sizeof *x + n * item_bytes) : NULL;
	if (!x) {
		a->out_of_memory = 1;
		return NULL;
	}
	x->older = a->newest;
	a->newest = x;
	return x + 1;
}

char *arrays_text(struct arrays *a, const char *text)
{
	size_t bytes = strlen(text) + 1;
	char *copy = arrays_add(a, bytes, 1);
	return copy ? memcpy(copy, text, bytes) : NULL;
}

void arrays_free(struct arrays *a)
{
	for (struct array *x = a->newest, *older; x; x = older) {
		older = x->older;
		free(x);
	}
	*a = (struct arrays){0};
}
