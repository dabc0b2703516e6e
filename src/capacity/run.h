/* capacity/run.h -- one simulation of a capacity search: a fleet, a rate,
 * a seed, a number of requests in; excess, values and growth out.
 * [one thread] */
#pragma once
#include "capacity/capacity.h"
#include "capacity/excess.h"
#include "capacity/rate.h"

/* The run to simulate. */
struct run_of {
	double rate;       /* requests/s; INFINITY: all at once              */
	uint64_t requests; /* at least                                        */
	uint32_t number;   /* of the replication; its seed follows from it    */
	FILE *said; /* notes on the workload go there; NULL: nowhere         */
	double from_s; /* what arrives before does not count                 */
	int is_once;   /* stages come once, without one that does not count  */
	int stops_early; /* excess.h; of a trace                              */
	int is_part;     /* of a trace: part.first, part.n rows alone        */
	struct run_part {
		uint64_t first, n;
	} part;
};
struct run_result {
	struct capacity_run run;
	struct excess excess; /* owned: excess_free()                        */
	double worst; /* largest excess of a bound, growth left out      */
	uint32_t worst_bound;
	double lifetime_s; /* mean E2E latency, or life of a session */
	double rate; /* requests/s that were realised                      */
	struct trusted_load load;
	uint64_t unfinished;
	int was_cut; /* it ended early: only stopped_by is known             */
};

/* Writes the notes on the workload and on rejected requests, a line each. */
void run_notes(FILE *f, const struct workload *w, const struct outcome *o);

/* What a growing queue scores at every bound, and the most that counts. */
#define EXCESS_OF_GROWTH 20.0
#define EXCESS_MOST 60.0
/* Returns the excess of a bound as a search counts it. */
double run_excess(const struct capacity_run *r, uint32_t bound);
/* Returns the largest of all bounds. */
double run_worst(const struct capacity_run *r, const struct bounds *b);

/* Returns 0, or -1 with *p; the caller frees *out in either case. */
int run_simulate(const struct capacity_task *t, struct rated *rated,
		 const struct run_of *of, struct run_result *out,
		 struct problem *p);
/* The seed of a replication of a workload. */
uint64_t run_seed(const struct workload_keys *k, uint32_t number);
