/* sim/fleet/fleet.h -- replicas that come, go and die while a simulation runs,
 * and the requests that they leave behind.
 *
 * A replica that dies loses its cache and all its requests at once.  When the
 * death is known, detect_ns later, a request without a token at its client is
 * sent again, through the router: 50 ms * 1.5^k later, at most 30 s, where k
 * counts from 0, at most max_retries times.  Others fail.  Until then the
 * router may choose the dead replica; such a request is refused at once, and
 * sent again.  A request that finds no replica waits for one to be ready.
 * The decisions of the autoscaler are at first_ns and then every sync_ns.  All
 * this happens before anything else of that instant.  Integers only.
 * [one thread] */
#pragma once
#include "sim/fleet/hpa.h"
#include "sim/fleet/members.h"
#include "sim/simulation_state.h"

/* A reading of the metric. */
struct fleet_sample {
	int64_t at_ns;
	uint64_t metric; /* in thousandths */
};
struct fleet {
	struct members members;
	struct hpa hpa;
	struct queue away;          /* requests to be sent again, by time */
	struct queue held;          /* requests that wait for a replica */
	int64_t tick_ns, sample_ns; /* the next ones */
	struct fleet_sample
	    *sample; /* [cap] a ring of readings that no decision used yet */
	uint64_t first, n, cap;
	uint64_t metric;  /* the last one that a decision used */
	uint32_t *choice; /* [replicas] */
};
/* Makes m->fleet; the parts of the simulation are made.  Returns 0, or -1 with
 * *p filled in. */
int fleet_make(struct simulation *m);
void fleet_free(struct fleet *f);
/* 1: requests wait to be sent; f may be NULL. */
int fleet_awaits(const struct fleet *f);
int64_t fleet_next_ns(const struct simulation *m);
/* 1: the next thing that happens is of the fleet; r: the replica with the
 * earliest event, or NULL. */
int fleet_is_next(const struct simulation *m, const struct replica *r);
/* Returns 0, or -1 with *p filled in, as all below. */
int fleet_event(struct simulation *m);
/* Sends a request that is on no replica. */
int fleet_send(struct simulation *m, uint32_t sequence, int64_t now);
/* The replica has that many requests from now on. */
void fleet_count(struct fleet *f, uint32_t replica, uint64_t n, int64_t now);
/* The run is over: sums up, and reports the replicas that are left. */
void fleet_end(struct simulation *m);
