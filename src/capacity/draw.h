/* capacity/draw.h -- one draw of requests at one rate: whether it meets
 * the bounds.
 *
 * A rate is met if every bound holds, every request that is not too long was
 * served, not too many are too long (lengths.h), and the engine was not
 * overloaded.  Two rules may be added.  A run may end as soon as a
 * bound cannot hold any more; that changes no verdict.  And a run may have to
 * be long enough: arrivals last for at least 10 mean E2E latencies, 5 of them
 * after the first completion.  In a shorter run all requests are served at
 * once, and no queue can grow.  If mean latencies grow as fast as runs, the
 * rate is not met.  [one thread]; no printing. */
#pragma once
#include "capacity/capacity.h"

/* Zeroed: neither rule. */
struct draw_rules {
	int stops_early;
	int must_be_long; /* a run that is too short is not met               */
	/* A run that is too short is repeated with twice the requests, up to
	 * this; 0: never.  A trace then comes more than once. */
	uint64_t most_requests;
	/* A trace comes until it has at least as many. */
	uint64_t least_requests;
};
struct draw {
	int met;
	int is_too_short; /* nothing else is wrong with the run               */
	int may_repeat;   /* of a trace: it can come more often               */
	struct capacity at; /* rate, scale, throughput, values; what broke    */
	double mean_tpot_ms; /* NaN: unknown */
	double lasts; /* arrivals, in mean E2E latencies                      */
	uint64_t simulations, requests_simulated;
};

/* Returns 0, or -1 with *p. */
int draw_run(const struct capacity_task *t, double scale,
	     const struct draw_rules *rules, struct draw *out,
	     struct problem *p);
/* Returns how many of n requests over the bound of a percentile are enough for
 * it to be broken: it is interpolated between two requests, and both of them
 * must be over. */
uint64_t draw_enough_over(uint64_t n, double percentile);
