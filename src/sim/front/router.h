/* sim/front/router.h -- picks the replica of a pool for a request; all ranks of
 * data parallelism are one replica here.
 *
 *   round_robin        one after another
 *   least_outstanding  the fewest unfinished requests; of several the first
 *   power_of_two       the better of two drawn at random
 *   prefix_affinity    the most leading blocks of the prompt in its cache,
 *   among
 *                      replicas that are not overloaded (more than twice the
 *                      fewest outstanding, plus 8); then as least_outstanding
 * The same calls give the same answers.  Integers only.  [one thread] */
#ifndef SC_SIM_ROUTER_H
#define SC_SIM_ROUTER_H
#include <stdint.h>
#include "engine/engine.h"
#include "math/rng.h"

struct router {
	enum routing routing[2]; /* by pool */
	struct rng rng;
	uint64_t turn[2];      /* by pool */
	uint64_t *outstanding; /* [replicas]; the caller updates it */
	/* [replicas] for prefix_affinity: leading tokens in the cache, filled
	 * in by the caller. */
	uint32_t *found;
};
/* Returns 0, or -1 if memory is out. */
int router_init(struct router *r, const struct engine *e);
void router_free(struct router *r);
/* Picks one of the n replicas from `first` on; they are pool `pool`. */
uint32_t router_pick(struct router *r, uint32_t pool, uint32_t first,
		     uint32_t n);
#endif
