/* sim/routing.h -- sends a request to one of a pool's replicas: past the router
 * if it is pinned, else as the router and the router of ranks say.  [one
 * thread] */
#pragma once
#include "sim/simulation_state.h"

/* Sends the sequence to a replica of the pool, where it is from from_ns on.
 * Returns NULL with *p filled in if memory is out. */
struct replica *routing_send(struct simulation *m, struct sequence *q,
			     uint32_t pool, int64_t from_ns);
