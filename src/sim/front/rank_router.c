/* rank_router.c -- Picks the rank for a request. */
#include "sim/front/rank_router.h"
#include <stdlib.h>
#include <string.h>

enum { PUBLISH_NS = 100000000 };

int rank_router_init(struct rank_router *r, const struct engine *e)
{
	*r = (struct rank_router){
	    .routing = e->rank_routing,
	    .n = e->ranks,
	    .start_moves = e->preset != PRESET_VLLM_015,
	    .now = calloc(e->ranks, sizeof *r->now),
	    .known = calloc(e->ranks, sizeof *r->known),
	    .published_ns = -PUBLISH_NS,
	    .due_ns = INT64_MAX,
	};
	return r->now && r->known ? 0 : -1;
}

void rank_router_free(struct rank_router *r)
{
	free(r->now);
	free(r->known);
}

static void publish(struct rank_router *r)
{
	memcpy(r->known, r->now, r->n * sizeof *r->known);
	r->published_ns = r->due_ns;
	r->due_ns = INT64_MAX;
}

void rank_router_tell(struct rank_router *r, uint32_t rank,
		      struct rank_load load, int64_t now_ns)
{
	const struct rank_load *was = &r->now[rank];
	int64_t soonest = r->published_ns + PUBLISH_NS;
	if (load.waiting == was->waiting && load.running == was->running)
		return;
	if (r->due_ns < now_ns) {
		publish(r);
		soonest = r->published_ns + PUBLISH_NS;
	}
	r->now[rank] = load;
	if (r->due_ns == INT64_MAX)
		r->due_ns = now_ns > soonest ? now_ns : soonest;
}

static uint64_t score(const struct rank_load *l)
{
	return 4 * (uint64_t)l->waiting + l->running;
}

static uint32_t least(const struct rank_router *r)
{
	uint32_t best = r->start % r->n;
	for (uint32_t i = 1; i < r->n; i++) {
		uint32_t rank = (r->start + i) % r->n;
		if (score(&r->known[rank]) < score(&r->known[best]))
			best = rank;
	}
	return best;
}

uint32_t rank_router_choose(struct rank_router *r, int64_t now_ns)
{
	if (r->due_ns <= now_ns)
		publish(r);
	uint32_t rank = r->routing == RANKS_VLLM ? least(r) : r->start % r->n;
	r->known[rank].waiting++;
	r->start += r->start_moves || r->routing == RANKS_ROUND_ROBIN;
	r->start %= r->n;
	return rank;
}
