/* sim/setup.h -- the parts of a simulation: its replicas, their groups, the
 * router.  A replica can be made anew, as one that has just started.
 * [one thread] */
#pragma once
#include "sim/simulation_state.h"

/* Makes all parts; e, cost, w, o, p and counter are set.  Returns 0, or -1 with
 * *p filled in; the caller calls setup_free() in either case. */
int setup_make(struct simulation *m, void *step_memory);
/* Adds up what the replica did, and makes it anew.  Returns 0, or -1 with *p
 * filled in. */
int setup_renew(struct simulation *m, uint32_t replica);
/* Adds up what the replicas did. */
void setup_add_up(struct simulation *m);
void setup_free(struct simulation *m);
