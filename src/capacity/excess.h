/* capacity/excess.h -- watches a simulation, and sums up by how much it
 * exceeds each latency bound, and whether its queue grew.
 *
 * The latencies of all requests are kept until the end, because the order of
 * arrival is known only then.  Counted are requests by arrival, without the
 * first tenth and the last twentieth of a run: the former see an empty engine,
 * the latter no followers.  Of sessions, none counts that arrives after the
 * last one has begun, because load falls from there on.  Of cycles (pauses,
 * stages, days) whole ones count, without the first.  Order: excess_begin(),
 * the simulation with excess_observer(), excess_end(), excess_free().
 * [one thread] */
#pragma once
#include <stdint.h>
#include "sim/observer.h"
#include "sim/outcome.h"
#include "capacity/bounds.h"
#include "capacity/capacity.h"

/* The requests that count. */
struct excess_of {
	const struct bounds *bounds;
	const struct slo *slo;    /* for goodput                              */
	uint64_t requests, turns; /* of the run; of a session                 */
	double first, last; /* shares of the requests that do not count      */
	uint64_t least_first; /* at least as many at the beginning           */
	int64_t from_ns;      /* and all that arrive before                   */
	int64_t cycle_ns;     /* 0: no cycles                                 */
	/* Above 0: the time of all arrivals, which begin at begins_ns, is cut
	 * into EXCESS_STRETCHES. */
	int64_t begins_ns, stretched_ns;
	/* The run ends as soon as a bound is exceeded beyond doubt.  Rows must
	 * be in order of arrival. */
	int stops_early;
};

struct excess_sum {
	double sum, n;
};

/* Growth of the queue: the mean latency at the end of what counts exceeds that
 * at its beginning by a quarter, and has gained more than 0.4 % of the time in
 * between; it falls if the latency has lost more than 0.4 % of that time. */
struct excess {
	struct excess_of of;
	struct excess_sum bound[CAPACITY_BOUNDS];
	struct excess_sum stretch[CAPACITY_BOUNDS][EXCESS_STRETCHES];
	/* From arrival to last token; of a session from its first arrival. */
	struct excess_sum life_s;
	double latency_s[2]; /* mean of the first third, of the last third   */
	int grows, falls;
	double counted_per_s;     /* requests that count over their time     */
	double completed_per_s;   /* while they arrived                      */
	uint64_t cached, prompts; /* their prompt tokens: from caches, all   */
	/* Mean and highest number of replicas while requests counted;
	 * n_lifetimes 0: the number is constant. */
	double replicas_mean, replicas_peak;
	int32_t stopped_by; /* the bound that ended the run early; -1: none  */
	/* Private: */
	struct excess_sample *sample; /* [n], at last by arrival             */
	double *score;                /* [n][bounds]; NaN: no such latency   */
	uint64_t n, first, end;       /* counted: first ... end - 1          */
	int64_t first_ns, last_ns;    /* arrivals                            */
	uint64_t arrived;
	struct replica_life *life; /* [n_lifetimes] */
	size_t n_lifetimes, lifetimes_cap;
};

/* Returns 0, or -1 with *p: out of memory. */
int excess_begin(struct excess *x, const struct excess_of *of,
		 struct problem *p);
struct observer excess_observer(struct excess *x);
/* Sums up.  Returns 0, or -1 with *p: out of memory. */
int excess_end(struct excess *x, const struct outcome *o, struct problem *p);
void excess_free(struct excess *x);

/* Returns the mean score of a bound; 0 if no request has that latency. */
double excess_mean(const struct excess_sum *s);
/* Returns completions per second between two shares of all completions; after
 * excess_end(). */
double excess_throughput(const struct excess *x, double from, double to);
/* Tells when the prompts that wait first have more tokens than that together,
 * s; INFINITY: never.  Returns 0, or -1 with *p: out of memory. */
int excess_waiting(const struct excess *x, double tokens, double *after_s,
		   struct problem *p);
