/* arrivals.c -- Counts the recent requests of each replica. */
#include "sim/route/arrivals.h"
#include <stdlib.h>
#include "base/grow.h"

int arrivals_init(struct arrivals *a, uint32_t n, int64_t window_ns)
{
	*a = (struct arrivals){
	    .window_ns = window_ns, .n = n, .of = calloc(n, sizeof *a->of)};
	return a->of ? 0 : -1;
}

void arrivals_free(struct arrivals *a)
{
	for (uint32_t i = 0; a->of && i < a->n; i++)
		free(a->of[i].at_ns);
	free(a->of);
	a->of = NULL;
}

static void forget(struct arrivals_of *x, int64_t before_ns)
{
	while (x->n && x->at_ns[x->first] < before_ns) {
		x->first = (x->first + 1) & (x->cap - 1);
		x->n--;
	}
}

void arrivals_add(struct arrivals *a, uint32_t replica, int64_t now_ns)
{
	struct arrivals_of *x = &a->of[replica];
	forget(x, now_ns - a->window_ns);
	x->had_any = 1;
	if (!MAKE_RING_ROOM(x->at_ns, x->first, x->n, x->cap)) {
		a->out_of_memory = 1;
		return;
	}
	x->at_ns[(x->first + x->n++) & (x->cap - 1)] = now_ns;
}

void arrivals_forget(struct arrivals *a, uint32_t replica)
{
	struct arrivals_of *x = &a->of[replica];
	x->n = x->first = 0;
	x->had_any = 0;
}

uint32_t arrivals_fewest(struct arrivals *a, const uint32_t *among, uint32_t n,
			 int64_t now_ns)
{
	uint32_t best = among[0];
	for (uint32_t k = 0; k < n; k++) {
		uint32_t i = among[k];
		if (!a->of[i].had_any)
			return i;
		forget(&a->of[i], now_ns - a->window_ns);
		if (a->of[i].n < a->of[best].n)
			best = i;
	}
	return best;
}
