/* capacity/capacity.h -- the highest arrival rate at which a workload,
 * going on for ever, meets its latency bounds, with an interval.
 *
 * This is the answer, the question, and a search between its stages: plain data
 * that crosses process borders.  [any thread] */
#ifndef SC_CAPACITY_CAPACITY_H
#define SC_CAPACITY_CAPACITY_H
#include <stdint.h>
#include <stdio.h>
#include "base/problem.h"
#include "sim/simulation.h"
#include "capacity/bounds.h"
#include "capacity/estimate.h"
#include "trust/trusted.h"
#include "workload/workload.h"

enum capacity_verdict { CAPACITY_FOUND, CAPACITY_NONE };
extern const char *const capacity_verdict_name[];
enum capacity_stop {
	STOP_NOT_YET,
	STOP_PRECISION, /* the interval is narrow enough                     */
	STOP_DECISION,  /* no narrower interval changes what to buy          */
	STOP_LIMIT,     /* of requests simulated                             */
	STOP_TRACE,     /* a trace is one draw: there are no more            */
	STOP_NONE,      /* no rate meets the bounds                          */
	STOP_INTERRUPTED, /* by the user                                     */
	STOP_RUNS,        /* CAPACITY_RUNS: a search keeps no more           */
};
extern const char *const capacity_stop_name[];
/* A trace is cut into this number of stretches. */
enum { EXCESS_STRETCHES = 20 };
enum capacity_basis { BASIS_REPLICATIONS, BASIS_STRETCHES, BASIS_ONE_DRAW };
extern const char *const capacity_basis_name[];

/* The share of requests that may be rejected. */
#define CAPACITY_MAX_REJECTED 0.001
/* What limits the rate: a bound, by its index, or one of these. */
enum {
	LIMITED_BY_SATURATION = -1,
	LIMITED_BY_REJECTION = -2,
	LIMITED_BY_LENGTH = -3, /* a run of fixed length tells no more        */
};

/* The answer.  Plain data. */
struct capacity {
	enum capacity_verdict verdict;
	enum capacity_stop stopped_by;
	enum capacity_basis basis;
	int32_t limited_by;
	double request_rate, low, high; /* requests/s                        */
	double scale; /* request_rate over the workload's own rate            */
	/* of a closed loop, and ends of their interval; 0: an open loop     */
	uint64_t clients, clients_low, clients_high;
	double confidence;
	double slope; /* of the limiting bound; NaN: none                     */
	double saturation_rate; /* no rate above it is stable                 */
	uint32_t replications;
	uint32_t is_flat; /* 1: the bound hardly depends on the rate          */
	uint64_t requests_per_replication, simulations, requests_simulated;
	/* means over the replications near request_rate */
	double output_throughput;
	double joules_per_token;       /* of output; NaN: unknown             */
	double value[CAPACITY_BOUNDS]; /* of the bounded metrics; NaN: none   */
	uint64_t requests, completed, rejected; /* of all runs there          */
	struct trusted_load load;
};

/* Half the interval's width, relative to the rate. */
double capacity_half_width(const struct capacity *c);
/* The bound that limits the rate, "saturation", "rejection" or
 * "too short". */
const char *capacity_limited_by(const struct capacity *c,
				const struct bounds *b);

struct capacity_task {
	const struct engine *engine;
	struct cost *const *cost; /* as simulate() takes them                */
	const struct workload_keys *workload;
	const struct ini *cfg;
	const struct traces *traces; /* as workload_open_with() takes them    */
	const struct bounds *bounds;
	double precision; /* half width of the interval asked for            */
	double confidence;
	/* Requests simulated until the interval is cut short; the runs that
	 * find the rate are not. */
	uint64_t request_limit;
	FILE *said; /* notes on the workload, lines on rejections; or NULL   */
	void *step_memory;
};

/* One simulation near the answer. */
struct capacity_run {
	double log_rate; /* in a closed loop of the number of clients         */
	uint32_t number;
	uint32_t reserved;
	double excess[CAPACITY_BOUNDS], value[CAPACITY_BOUNDS];
	double output_throughput;
	double joules_per_token;
	double requests_per_s; /* of a closed loop                            */
	uint64_t requests, completed, rejected;
};
enum { CAPACITY_RUNS = 2048, CAPACITY_TRIED = 512 };
/* Overloaded runs, which measure the limit of throughput. */
enum { SATURATED_RUNS = 8 };
/* Close to the limit runs show a rate that is too high by this share. */
#define NEAR_LIMIT_BIAS 0.015
/* Any simulation of the search, for curves; also far from the answer. */
struct capacity_tried {
	double load; /* requests/s; in a closed loop clients                  */
	double excess[CAPACITY_BOUNDS], value[CAPACITY_BOUNDS];
};
struct capacity_search {
	int is_over; /* the answer stands                                    */
	struct capacity answer;
	uint64_t requests;  /* of a replication                               */
	int waiting_breaks; /* some bound, where all requests come at once   */
	double log_saturation; /* ln of the limit of throughput              */
	double log_rate;       /* the estimate so far                        */
	double pilot_slope;
	uint32_t n_numbers; /* replications begun                            */
	uint32_t n_slope_runs, first_slope_run;
	struct slope slope[CAPACITY_BOUNDS]; /* b 0: unknown                  */
	struct root root[CAPACITY_BOUNDS]; /* n 0: the bound is far from it  */
	/* requests/s of replication 1, 2 … where the limit was measured; 0   */
	double saturated[SATURATED_RUNS];
	uint32_t n;
	struct capacity_run run[CAPACITY_RUNS];
	uint32_t n_tried; /* the first of them are kept                       */
	struct capacity_tried tried[CAPACITY_TRIED];
};
static inline int capacity_limit_is_measured(const struct capacity_search *s)
{
	return s->saturated[0] > 0;
}
#endif
