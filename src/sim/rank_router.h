/* sim/rank_router.h -- picks the rank of a data-parallel replica that a request
 * goes to.
 *
 *   vllm         the least 4 · waiting + running, which then has one more that
 *                waits; the first of equals from a start that moves on by one
 *                with each request (vLLM 0.15: it stays)
 *   round_robin  one after another
 * The numbers are those last published: at most every 100 ms, when some have
 * changed, with what each rank had at the end of its last step.  Published is
 * at the first change after the last time, or 100 ms after that, whichever is
 * later; what changes at that instant is among it.
 * Sources: vLLM, v1/engine/core_client.py, v1/engine/coordinator.py.  Integers
 * only.  [one thread] */
#ifndef SC_SIM_RANK_ROUTER_H
#define SC_SIM_RANK_ROUTER_H
#include <stdint.h>
#include "engine/engine.h"

struct rank_load {
	uint32_t waiting, running;
};

struct rank_router {
	enum rank_routing routing;
	uint32_t n, start;
	int start_moves;
	struct rank_load *now;   /* [n] at the end of the last step          */
	struct rank_load *known; /* [n] as published, and what was sent since */
	int64_t published_ns;    /* the last time; before all others: never  */
	int64_t due_ns;          /* the next time; INT64_MAX: nothing to say */
};
/* 0, or -1: out of memory; rank_router_free() in either case. */
int rank_router_init(struct rank_router *r, const struct engine *e);
void rank_router_free(struct rank_router *r);
/* A step of the rank is over.  now_ns never falls from call to call, here and
 * below. */
void rank_router_tell(struct rank_router *r, uint32_t rank,
		      struct rank_load load, int64_t now_ns);
uint32_t rank_router_pick(struct rank_router *r, int64_t now_ns);
#endif
