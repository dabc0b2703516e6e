/* verify.c -- Draws configurations that are out, and compares them with the
 * winner. */
#include <config.h>
#include "recommend/verify.h"
#include <stdlib.h>
#include "base/hash.h"

static uint64_t place(int64_t seed, size_t entry)
{
	return hash_mix(hash_mix((uint64_t)seed + 1) + entry + 1);
}

struct drawn {
	uint64_t place;
	size_t entry;
};

static int by_place(const void *a, const void *b)
{
	const struct drawn *x = a, *y = b;
	return (x->place > y->place) - (x->place < y->place);
}

int verify_draw(struct recommend_arm *a, int64_t seed, int64_t most,
		struct problem *p)
{
	struct drawn *all = calloc(a->n + 1, sizeof *all);
	size_t n = 0;
	a->checked = calloc(a->n + 1, sizeof *a->checked);
	if (!all || !a->checked) {
		free(all);
		return problem_no_memory(p);
	}
	for (size_t i = 0; a->race.best != RACE_NONE && i < a->n; i++)
		if (a->race.track[i].state == RACE_OUT)
			all[n++] = (struct drawn){place(seed, i), i};
	if (n)
		qsort(all, n, sizeof *all, by_place);
	for (size_t i = 0; i < n && (int64_t)i < most; i++)
		a->checked[a->n_checked++] = all[i].entry;
	free(all);
	return 0;
}

void verify_take(struct recommend_arm *a, size_t entry, double scale)
{
	const struct race *r = &a->race;
	double share = scale / a->entry[entry].weight /
		       (r->best_scale / a->entry[r->best].weight);
	if (share > a->checked_share)
		a->checked_share = share;
}
