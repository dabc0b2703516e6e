/* capacity/excess.h -- watches a simulation and sums up by how much it
 * exceeds each latency bound.
 *
 * Counted are sessions (single requests without turns) by order of arrival,
 * without the first and the last of a run: the former see an empty engine, the
 * latter no followers.  Order: excess_begin(), the simulation with
 * excess_observer(), excess_end(), excess_free().  [one thread] */
#ifndef SC_CAPACITY_EXCESS_H
#define SC_CAPACITY_EXCESS_H
#include <stdint.h>
#include "sim/observer.h"
#include "sim/outcome.h"
#include "capacity/bounds.h"
#include "capacity/capacity.h"

/* The requests that count. */
struct excess_of {
	const struct bounds *bounds;
	const struct slo *slo; /* for goodput                                */
	uint64_t requests, turns; /* of the run; of a session                */
	uint64_t first, end; /* sessions counted: first ... end - 1           */
	/* 1: when requests ended is kept, for excess_throughput() */
	int keeps_ends;
	/* stretched_ns above 0: the time of all arrivals, which begin at
	 * begins_ns, cut into EXCESS_STRETCHES. */
	int64_t begins_ns, stretched_ns;
};

struct excess_sum {
	double sum, n;
};

struct excess {
	struct excess_of of;
	struct excess_sum bound[CAPACITY_BOUNDS];
	struct excess_sum stretch[CAPACITY_BOUNDS][EXCESS_STRETCHES];
	/* from arrival to last token; of a session from its first arrival */
	struct excess_sum life_s;
	int64_t *session_ns; /* [sessions] first arrivals, with turns above 1 */
	/* prompt tokens found in the cache, and all; by half of the run */
	uint64_t cached_tokens[2], input_tokens[2];
	uint64_t arrived;
	int64_t first_ns, last_ns; /* arrivals                                */
	int64_t *ended_ns;         /* [n_ended]	 */
	uint64_t n_ended;
};

/* Returns 0, or -1 with *p: out of memory. */
int excess_begin(struct excess *x, const struct excess_of *of,
		 struct problem *p);
struct observer excess_observer(struct excess *x);
/* Takes over what only the whole run shows. */
void excess_end(struct excess *x, const struct outcome *o);
void excess_free(struct excess *x);

/* Returns the mean score of a bound; 0 if no request has that latency. */
double excess_mean(const struct excess_sum *s);
/* Returns completions per second between two shares of all completions. */
double excess_throughput(struct excess *x, double from, double to);
/* Returns completions per second between two moments, s after the first
 * arrival. */
double excess_throughput_between(const struct excess *x, double from_s,
				 double to_s);
/* Returns the prefix hit rate of the second half less that of the first. */
double excess_warming(const struct excess *x);
#endif
