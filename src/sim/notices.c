/* notices.c -- Keeps notices in the order of their times. */
#include "sim/notices.h"
#include <stdlib.h>
#include "base/grow.h"
#include "base/heap.h"

static int is_before(const struct notice *a, const struct notice *b)
{
	if (a->ns != b->ns)
		return a->ns < b->ns;
	return a->row != b->row ? a->row < b->row : a->kind < b->kind;
}

int notices_add(struct notices *w, const struct notice *x)
{
	if (!MAKE_ROOM(w->heap, w->n, w->cap))
		return -1;
	HEAP_ADD(w->heap, w->n, *x, is_before);
	return 0;
}

struct notice notices_take(struct notices *w)
{
	struct notice first = w->heap[0];
	HEAP_DROP(w->heap, w->n, is_before);
	return first;
}

void notices_free(struct notices *w)
{
	free(w->heap);
	free(w->leaver);
}

int notices_add_leaver(struct notices *w, uint32_t sequence, uint64_t row)
{
	if (!MAKE_ROOM(w->leaver, w->n_leavers, w->cap_leavers))
		return -1;
	w->leaver[w->n_leavers++] = (struct leaver){sequence, row};
	return 0;
}
