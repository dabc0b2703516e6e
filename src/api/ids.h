/* api/ids.h -- a list of token ids that grows.  Zeroed means empty; the owner
 * calls ids_free(). */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct ids {
	uint32_t *id;
	size_t n, cap;
	int out_of_memory; /* sticky */
};
static inline void ids_add(struct ids *l, uint32_t id)
{
	if (l->n == l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 64;
		uint32_t *more = realloc(l->id, cap * sizeof *more);
		if (!more) {
			l->out_of_memory = 1;
			return;
		}
		l->id = more;
		l->cap = cap;
	}
	l->id[l->n++] = id;
}
static inline void ids_free(struct ids *l)
{
	free(l->id);
	*l = (struct ids){0};
}
