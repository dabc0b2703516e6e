/* sim/router.h -- picks the replica of a pool that a request goes to; ranks of
 * data parallelism are one replica here.
 *
 *   round_robin        one after another
 *   least_outstanding  fewest requests that are not over; the first of equals
 *   power_of_two       the better of two drawn at random
 *   prefix_affinity    most leading blocks of the prompt in its cache, of those
 *                      that are not overloaded (more than twice the fewest
 *                      outstanding, plus 8); then as least_outstanding
 * The same calls give the same answers.  Integers only.  [one thread] */
#ifndef SC_SIM_ROUTER_H
#define SC_SIM_ROUTER_H
#include <stdint.h>
#include "engine/engine.h"
#include "math/rng.h"

struct router {
	enum routing routing[2]; /* by pool */
	struct rng rng;
	uint64_t turn[2];       /* by pool */
	uint64_t *outstanding;  /* [replicas], kept by the caller */
	int64_t *front_free_ns; /* [replicas], kept by the caller: when the
				   thread in front takes its next request   */
	uint32_t *found;        /* [replicas], for prefix_affinity: leading
				   tokens, filled in by the caller */
};
/* 0, or -1: out of memory. */
int router_init(struct router *r, const struct engine *e);
void router_free(struct router *r);
/* One of the n replicas from `first` on, which are pool `pool`. */
uint32_t router_pick(struct router *r, uint32_t pool, uint32_t first,
		     uint32_t n);
#endif
