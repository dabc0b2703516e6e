/* race_order.c -- Sorts configurations by how promising they are. */
#include "recommend/race_order.h"
#include <stdlib.h>

/* An entry as it is sorted. */
struct place {
	const struct race_entry *of;
	size_t entry;
	double reached; /* by its shape                                       */
};

static int before(double a, double b)
{
	return a < b ? -1 : a > b;
}

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int c = before(x->of->level, y->of->level);
	if (!c)
		c = before(y->of->is_first, x->of->is_first);
	if (!c)
		c = before(y->reached, x->reached);
	if (!c && x->of->is_first)
		c = before(y->of->room, x->of->room);
	return c ? c : before((double)x->of->point, (double)y->of->point);
}

/* The best rate that some configuration of a shape met. */
static double reached(uint64_t shape, const struct race_entry *entry,
		      const struct race_track *track, size_t n)
{
	double most = 0;
	for (size_t i = 0; i < n; i++)
		if (entry[i].shape == shape && track[i].met > most)
			most = track[i].met;
	return most;
}

int race_sort(size_t *order, size_t first, size_t end,
	      const struct race_entry *entry, const struct race_track *track,
	      size_t n)
{
	struct place *l = calloc(end - first + 1, sizeof *l);
	if (!l)
		return -1;
	for (size_t i = first; i < end; i++) {
		const struct race_entry *x = &entry[order[i]];
		l[i - first] = (struct place){
		    .of = x,
		    .entry = order[i],
		    .reached =
			x->is_first ? 0 : reached(x->shape, entry, track, n)};
	}
	qsort(l, end - first, sizeof *l, by_place);
	for (size_t i = first; i < end; i++)
		order[i] = l[i - first].entry;
	free(l);
	return 0;
}
