/* offloaded.c -- Keeps the blocks that a request was given, for its stores. */
#include "sim/offload/offloaded.h"
#include <stdlib.h>
#include "sim/kv/kv_table.h"

struct offloaded *offloaded_new(uint64_t row, uint32_t n_groups)
{
	struct offloaded *of =
	    calloc(1, sizeof *of + n_groups * sizeof of->group[0]);
	if (!of)
		return NULL;
	of->row = row;
	of->n_groups = n_groups;
	return of;
}

void offloaded_free(struct offloaded *of)
{
	for (uint32_t g = 0; of && g < of->n_groups; g++)
		free(of->group[g].given);
	free(of);
}

void offloaded_forget_blocks(struct offloaded *of)
{
	for (uint32_t g = 0; g < of->n_groups; g++)
		of->group[g].n_given = 0;
}

static int reserve(struct offloaded_group *x, uint32_t n)
{
	uint32_t cap = x->cap_given ? x->cap_given : 16;
	if (n <= x->cap_given)
		return 0;
	while (cap < n)
		cap *= 2;
	void *more = realloc(x->given, cap * sizeof *x->given);
	if (!more)
		return -1;
	x->given = more;
	x->cap_given = cap;
	return 0;
}

int offloaded_note_blocks(struct offloaded *of, struct kv *kv,
			  const struct kv_owner *owner)
{
	for (uint32_t g = 0; g < of->n_groups; g++) {
		struct offloaded_group *x = &of->group[g];
		struct kv_table t = kv_table(kv, owner, g);
		if (reserve(x, t.n))
			return -1;
		for (; x->n_given < t.n; x->n_given++) {
			uint32_t b = NO_BLOCK;
			if (x->n_given >= t.first) {
				b = t.block[x->n_given];
				kv->pool.block[b].taken_in = kv->pool.call;
			}
			x->given[x->n_given] =
			    (struct given_block){b, kv->pool.call};
		}
	}
	return 0;
}

void offloaded_take_all(struct kv *kv, const struct kv_owner *owner)
{
	for (uint32_t g = 0; g < kv->n_groups; g++) {
		struct kv_table t = kv_table(kv, owner, g);
		for (uint32_t place = t.first; place < t.n; place++)
			kv->pool.block[t.block[place]].taken_in = kv->pool.call;
	}
}
