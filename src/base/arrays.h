/* base/arrays.h -- arrays that live as long as their owner, and are freed
 * together.  Zeroed: there are none.  [one thread] */
#pragma once
#include <stddef.h>

struct arrays {
	struct array *newest;
	int out_of_memory; /* sticky */
};

/* Returns an array of n zeroed items; NULL: memory is out. */
void *arrays_add(struct arrays *a, size_t n, size_t item_bytes);
/* Returns a copy of the text; NULL: memory is out. */
char *arrays_text(struct arrays *a, const char *text);
void arrays_free(struct arrays *a);
