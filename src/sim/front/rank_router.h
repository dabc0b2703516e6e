/* sim/front/rank_router.h -- picks the rank of a data-parallel replica for a
 * request.
 *
 *   vllm         the least 4 · waiting + running, and that rank then has one
 *                more waiting; of several the first one from a start that moves
 *                on by one with each request (vLLM 0.15: it does not move)
 *   round_robin  one after another
 * The numbers are the ones published last.  They are published at most every
 * 100 ms, and only when some have changed: at the first change after the last
 * time, or 100 ms after that, whichever is later.  They are those at the end of
 * each rank's last step, changes at that instant included.  Sources: vLLM,
 * v1/engine/core_client.py, v1/engine/coordinator.py.  Integers only.  [one
 * thread] */
#pragma once
#include <stdint.h>
#include "engine/engine.h"

struct rank_load {
	uint32_t waiting, running;
};

struct rank_router {
	enum rank_routing routing;
	uint32_t n, start;
	int start_moves;
	struct rank_load *now; /* [n] at the end of the last step */
	/* [n] as published, plus requests sent since */
	struct rank_load *known;
	int64_t published_ns; /* the last time; long before 0 at first */
	int64_t due_ns;       /* the next time; INT64_MAX: nothing to publish */
};
/* Returns 0, or -1 if memory is out; the caller calls rank_router_free() in
 * either case. */
int rank_router_init(struct rank_router *r, const struct engine *e);
void rank_router_free(struct rank_router *r);
/* A step of the rank is over.  now_ns never decreases from call to call, here
 * and below. */
void rank_router_tell(struct rank_router *r, uint32_t rank,
		      struct rank_load load, int64_t now_ns);
uint32_t rank_router_choose(struct rank_router *r, int64_t now_ns);
