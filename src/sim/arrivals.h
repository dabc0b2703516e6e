/* sim/arrivals.h -- requests from their arrival to the queue of the process in
 * front of their replica: one that can never be served is rejected, the others
 * get a replica.  Where that process also hands out tokens, requests wait for
 * their turn among its tokens, and then join the queue.  Integers only.  [one
 * thread] */
#pragma once
#include "sim/simulation_state.h"

/* Takes the next request of the workload; there is one.  Returns 0, or -1 with
 * *p filled in: EXIT_INPUT or EXIT_USAGE if no engine of this kind could serve
 * it. */
int arrivals_take(struct simulation *m);
/* Returns when the first of those that wait joins the queue; REPLICA_NEVER:
 * none waits. */
int64_t arrivals_joins_ns(const struct simulation *m);
/* That one joins.  Returns 0, or -1 with *p filled in. */
int arrivals_join(struct simulation *m);
