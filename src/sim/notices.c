/* notices.c -- Keeps notices in the order of their times. */
#include "sim/notices.h"
#include <stdlib.h>
#include "base/grow.h"

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
	uint32_t at = w->n++;
	for (; at && is_before(x, &w->heap[(at - 1) / 2]); at = (at - 1) / 2)
		w->heap[at] = w->heap[(at - 1) / 2];
	w->heap[at] = *x;
	return 0;
}

struct notice notices_take(struct notices *w)
{
	struct notice first = w->heap[0], moved = w->heap[--w->n];
	uint32_t at = 0;
	for (;;) {
		uint32_t child = 2 * at + 1;
		if (child >= w->n)
			break;
		if (child + 1 < w->n &&
		    is_before(&w->heap[child + 1], &w->heap[child]))
			child++;
		if (!is_before(&w->heap[child], &moved))
			break;
		w->heap[at] = w->heap[child];
		at = child;
	}
	w->heap[at] = moved;
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
