/* clients.c -- Keeps the next requests of sessions and closed loops, the
 * earliest first. */
#include "workload/clients.h"
#include <math.h>
#include <stdlib.h>
#include "base/grow.h"
#include "base/heap.h"

int clients_open(struct clients *l, const struct workload_keys *k,
		 const struct ini *c, struct problem *p)
{
	*l = (struct clients){.seed = (uint64_t)k->seed};
	return distribution_parse(&l->think, k->think_time_s, OF_SECONDS,
				  workload_at(c, "think_time_s"),
				  "think_time_s", c, p);
}

void clients_free(struct clients *l)
{
	distribution_free(&l->think);
	free(l->heap);
	*l = (struct clients){0};
}

static void push(struct clients *l, struct pending x)
{
	if (!MAKE_ROOM(l->heap, l->n, l->cap)) {
		l->out_of_memory = 1;
		return;
	}
	HEAP_ADD(l->heap, l->n, x, pending_before);
}

void clients_take(struct clients *l)
{
	HEAP_DROP(l->heap, l->n, pending_before);
}

/* Returns when the client of that row has finished thinking. */
static int64_t thought_ns(const struct clients *l, uint64_t row,
			  int64_t finish_ns)
{
	if (l->do_not_think)
		return finish_ns;
	struct rng r = rng_stream(l->seed, RNG_THINK, row);
	return finish_ns + llround(1e9 * distribution_draw(&l->think, &r));
}

void clients_come(struct clients *l, uint64_t row, int64_t ns)
{
	push(l, (struct pending){ns, row});
}

void clients_turn(struct clients *l, uint64_t row, int64_t finish_ns)
{
	push(l, (struct pending){thought_ns(l, row, finish_ns), row + 1});
}

void clients_next(struct clients *l, uint64_t row, int64_t finish_ns)
{
	push(l,
	     (struct pending){thought_ns(l, row, finish_ns), PENDING_SESSION});
}
