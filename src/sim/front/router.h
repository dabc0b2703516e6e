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
 *
 * The others, with keys in [router], are in sim/route/ (route.h).  They learn
 * of tokens when the client has them, of caches by events, and of metrics at
 * times 0, P, 2P ..., before anything else of that instant happens. The same
 * calls give the same answers.  [one thread] */
#pragma once
#include <stdint.h>
#include "engine/engine.h"
#include "math/rng.h"
#include "sim/kv/blocks.h"
#include "sim/route/route.h"
#include "sim/route/tickets.h"

struct replica; /* sim/replica.h */

/* Listens to the cache of a replica. */
struct router_subscription {
	struct block_listener listener, first;
	struct router *router;
	uint32_t pool, replica; /* replica: in the pool, ranks counted */
};

/* For prefix_affinity: which replicas of a pool have the first block of a
 * prompt; the others need no look-up. */
struct router_firsts {
	uint32_t block_tokens; /* 0: it is not used */
	struct holders index;
};

struct router {
	enum routing routing[2]; /* by pool */
	struct rng rng;
	uint64_t turn[2]; /* by pool */
	/* [n_choices] replicas that may get requests, ascending; NULL: all. */
	uint32_t *choice, n_choices;
	uint64_t *outstanding; /* [replicas]; the caller updates it */
	/* [replicas] for prefix_affinity: leading tokens in the cache, filled
	 * in by the caller. */
	uint32_t *found;
	/* By pool; NULL: one of the rules above, or a pool of one.  Pools may
	 * be the same (e->prefill_replicas 0). */
	struct route *route[2];
	struct router_firsts firsts[2]; /* by pool */
	struct tickets tickets;
	struct router_subscription
	    *subscription; /* [replicas, ranks counted]; NULL: none */
	/* The last event; set by the caller before each, -1 before the first.
	 */
	int64_t now_ns;
	int64_t refresh_ns; /* when metrics are read next; INT64_MAX: never */
};
/* Returns 0, or -1 if memory is out; the caller calls router_free() in either
 * case.  The router must not be moved afterwards. */
int router_init(struct router *r, const struct engine *e);
void router_free(struct router *r);
/* Picks one of the n replicas from `first` on; they are pool `pool`. */
uint32_t router_choose(struct router *r, uint32_t pool, uint32_t first,
		       uint32_t n);
/* For one pool without ranks: from now on these get requests, ascending, if
 * there are any. */
void router_set_choices(struct router *r, const uint32_t *choice, uint32_t n);
/* For one pool without ranks: the replica is gone at now_ns, with all that it
 * had in its cache. */
void router_forget(struct router *r, uint32_t replica, int64_t now_ns);
/* For prefix_affinity: returns the set of the pool's groups that have the first
 * block of a prompt, by its key; NULL: none has.  The pool's block_tokens is
 * not 0. */
static inline const uint64_t *router_with_first(const struct router *r,
						uint32_t pool, uint64_t key)
{
	return holders_find(&r->firsts[pool].index, key);
}
/* Returns 1 if it needs the content of prompts. */
int router_reads_prompts(const struct router *r);
/* The same as router_choose() for any routing; *ticket: for router_await(), or
 * NO_TICKET.  Returns UINT32_MAX if memory is out. */
uint32_t router_send(struct router *r, uint32_t pool, uint32_t first,
		     uint32_t n, const struct route_prompt *q,
		     uint32_t *ticket);
/* The client of that request has its first token then, or the last.  Returns 0,
 * or -1 if memory is out. */
int router_await(struct router *r, uint32_t ticket, int64_t at_ns, int is_over);
/* Returns 1 if router_await() must be told of first tokens. */
int router_wants_first_tokens(const struct router *r);
/* Returns the listener for a replica's cache; NULL: it needs none. */
const struct block_listener *router_listener(const struct router *r,
					     uint32_t replica);
/* The same for the first blocks of prompts. */
const struct block_listener *router_first_listener(const struct router *r,
						   uint32_t replica);
/* Reads the metrics of all replicas; call it before the event at now_ns, which
 * is refresh_ns or later: nothing has changed since the last time of refresh.
 * It comes before now_ns of the router is set. */
void router_refresh(struct router *r, const struct engine *e,
		    const struct replica *replica, int64_t now_ns);
