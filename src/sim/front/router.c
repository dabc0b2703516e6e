/* router.c -- Picks the replica for a request. */
#include <config.h>
#include "sim/front/router.h"
#include <stdlib.h>

int router_init(struct router *r, const struct engine *e)
{
	size_t n = engine_groups(e);
	*r = (struct router){
	    .routing = {e->routing, engine_of_pool(e, 1)->routing},
	    .rng = rng_stream(e->seed, RNG_ROUTING, 0),
	    .outstanding = calloc(n, sizeof *r->outstanding),
	    .found = calloc(n, sizeof *r->found),
	};
	return r->outstanding && r->found ? 0 : -1;
}

void router_free(struct router *r)
{
	free(r->outstanding);
	free(r->found);
}

static uint32_t fewest(const struct router *r, uint32_t first, uint32_t n)
{
	uint32_t best = first;
	for (uint32_t i = first + 1; i < first + n; i++)
		if (r->outstanding[i] < r->outstanding[best])
			best = i;
	return best;
}

static uint32_t better_of_two(struct router *r, uint32_t first, uint32_t n)
{
	uint32_t a = (uint32_t)rng_below(&r->rng, n);
	uint32_t b = (uint32_t)rng_below(&r->rng, n - 1);
	b += b >= a;
	return first +
	       (r->outstanding[first + b] < r->outstanding[first + a] ? b : a);
}

static uint32_t closest(const struct router *r, uint32_t first, uint32_t n)
{
	uint32_t best = fewest(r, first, n);
	uint64_t most = 2 * r->outstanding[best] + 8;
	for (uint32_t i = first; i < first + n; i++) {
		if (r->outstanding[i] > most)
			continue;
		if (r->found[i] > r->found[best] ||
		    (r->found[i] == r->found[best] &&
		     r->outstanding[i] < r->outstanding[best]))
			best = i;
	}
	return best;
}

uint32_t router_pick(struct router *r, uint32_t pool, uint32_t first,
		     uint32_t n)
{
	if (n == 1)
		return first;
	switch (r->routing[pool]) {
	case ROUTE_LEAST_OUTSTANDING:
		return fewest(r, first, n);
	case ROUTE_POWER_OF_TWO:
		return better_of_two(r, first, n);
	case ROUTE_PREFIX_AFFINITY:
		return closest(r, first, n);
	case ROUTE_ROUND_ROBIN:
		break;
	}
	return first + (uint32_t)(r->turn[pool]++ % n);
}
