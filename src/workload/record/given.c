/* given.c -- Keeps requests from when they are given until they are taken. */
#include "workload/record/given.h"
#include <stdlib.h>
#include <string.h>

static void release(struct request *r)
{
	free((void *)(uintptr_t)r->segment);
	free((void *)(uintptr_t)r->item);
	free((void *)(uintptr_t)r->name);
	*r = (struct request){0};
}

static void *copy(const void *from, size_t n, int *lacks)
{
	void *to = n ? malloc(n) : NULL;
	*lacks |= n && !to;
	return to ? memcpy(to, from, n) : NULL;
}

static int grow(struct given *g)
{
	size_t cap = g->cap ? 2 * g->cap : 64;
	struct request *more = malloc(cap * sizeof *more);
	if (!more)
		return -1;
	for (size_t i = 0; i < g->n; i++)
		more[i] = g->item[(g->first + i) % g->cap];
	free(g->item);
	g->item = more;
	g->cap = cap;
	g->first = 0;
	return 0;
}

int given_add(struct given *g, const struct request *r)
{
	struct request own = *r;
	int lacks = 0;
	if (g->n == g->cap && grow(g) < 0)
		return -1;
	own.segment =
	    copy(r->segment, r->n_segments * sizeof *r->segment, &lacks);
	own.item = copy(r->item, r->n_items * sizeof *r->item, &lacks);
	own.name = copy(r->name, r->name ? strlen(r->name) + 1 : 0, &lacks);
	if (lacks) {
		release(&own);
		return -1;
	}
	g->item[(g->first + g->n++) % g->cap] = own;
	return 0;
}

int given_peek(const struct given *g, int64_t *arrival_ns)
{
	if (g->n)
		*arrival_ns = g->item[g->first].arrival_ns;
	return g->n > 0;
}

void given_pop(struct given *g, struct request *r)
{
	release(&g->taken);
	*r = g->taken = g->item[g->first];
	g->first = (g->first + 1) % g->cap;
	g->n--;
}

void given_free(struct given *g)
{
	for (size_t i = 0; i < g->n; i++)
		release(&g->item[(g->first + i) % g->cap]);
	release(&g->taken);
	free(g->item);
}
