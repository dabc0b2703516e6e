/* capacity/run.h -- one simulation of a capacity search: a rate, a seed,
 * a number of requests in; excess, values and throughput out.  [one thread] */
#ifndef SC_CAPACITY_RUN_H
#define SC_CAPACITY_RUN_H
#include "capacity/excess.h"
#include "capacity/rate.h"
#include "capacity/capacity.h"

/* The run to simulate. */
struct run_of {
	double rate;       /* requests/s; INFINITY: all at once              */
	uint64_t requests; /* at least                                        */
	uint32_t number;   /* of the replication; its seed follows from it    */
	FILE *said; /* notes on the workload go there; NULL: nowhere         */
	int keeps_ends; /* excess.h */
};
struct run_result {
	struct capacity_run run;
	struct excess excess; /* owned: excess_free()                        */
	double worst; /* largest excess of a bound                       */
	uint32_t worst_bound;
	uint32_t turns;
	double lives_s; /* mean E2E latency, or life of a session             */
	struct trusted_load load;
	uint64_t unfinished;
	int is_overloaded; /* the queue was growing at the end                */
};

/* Returns 0, or -1 with *p; the caller frees *out in either case. */
int run_simulate(const struct capacity_task *t, struct rated *rated,
		 const struct run_of *of, struct run_result *out,
		 struct problem *p);
/* The seed of a replication of a workload. */
uint64_t run_seed(const struct workload_keys *k, uint32_t number);
#endif
