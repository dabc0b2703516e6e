/* capacity/capacity.h -- two questions about a fleet, a number of units
 * behind its router, and a workload that goes on for ever.
 *
 *   rate    the highest rate of requests that the fleet carries
 *   fleet   the least number of units that carry a rate
 *
 * A fleet carries a rate if every latency bound holds as a mean (bounds.h) and
 * its queue does not grow.  One test decides that for both (carries.h).  A
 * fleet is always simulated as a whole, never multiplied.
 *
 * Here are the question, the answer, and a search that runs: plain data that
 * crosses process borders.  [any thread] */
#pragma once
#include <stdint.h>
#include <stdio.h>
#include "base/problem.h"
#include "sim/simulation.h"
#include "capacity/bounds.h"
#include "trust/trusted.h"
#include "workload/workload.h"

enum capacity_verdict {
	CAPACITY_FOUND,
	CAPACITY_NONE,
	CAPACITY_UNDECIDED, /* a given fleet that may carry the rate          */
};
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
enum capacity_basis {
	BASIS_REPLICATIONS,
	BASIS_STRETCHES,
	BASIS_CYCLES,
	BASIS_ONE_DRAW
};
extern const char *const capacity_basis_name[];

/* What limits the rate: a bound, by its index, or one of these. */
enum {
	LIMITED_BY_SATURATION = -1,
	LIMITED_BY_REJECTION = -2,
	LIMITED_BY_LENGTH = -3, /* a run of fixed length tells no more        */
};

enum capacity_question { QUESTION_RATE, QUESTION_FLEET };
extern const char *const capacity_question_name[];
enum capacity_carries { CARRIES_UNDECIDED, CARRIES_YES, CARRIES_NO };
extern const char *const capacity_carries_name[];

/* What the simulations of a fleet near the answer showed. */
struct capacity_seen {
	double hit_rate;         /* of prompt tokens in prefix caches   */
	double joules_per_token; /* of output; NaN: unknown             */
	double replicas_mean, replicas_peak; /* of an autoscaler; NaN: none   */
	double value[CAPACITY_BOUNDS]; /* of the bounded metrics; NaN: none   */
	uint64_t requests, completed, rejected; /* of all runs                */
	struct trusted_load load;
};
/* Whether a fleet carries a rate, and what that rests on. */
struct capacity_test {
	enum capacity_carries verdict;
	uint32_t units, replications, grown; /* replications with growth     */
	int32_t worst; /* the bound with the largest mean                     */
	uint32_t is_short; /* 1: runs are shorter than rule L asks            */
	double rate;
	double excess[CAPACITY_BOUNDS]; /* means                              */
	double low, high;               /* ends of the interval of the worst  */
	uint64_t requests_per_replication;
	uint64_t least; /* requests a replication that were asked for        */
	struct capacity_seen seen;
};
enum { CAPACITY_TESTS = 64 };

/* The answer.  Plain data. */
struct capacity {
	enum capacity_question question;
	enum capacity_verdict verdict;
	enum capacity_stop stopped_by;
	enum capacity_basis basis;
	int32_t limited_by;
	uint32_t units; /* of the fleet that was asked about                  */
	/* of a fleet that was looked for: the least units that carry the rate,
	 * and the least that may; units of the next one up that does not carry
	 * it although a smaller one does, 0: none */
	uint32_t units_high, units_low, units_relapse;
	uint32_t units_recovery; /* to recover from an overload; 0: unknown   */
	/* 1 + the router that would do with one unit less; 0: none was found */
	uint32_t other_router;
	double asked; /* rate to be carried, requests/s; 0: none   */
	double request_rate, low, high; /* requests/s; NaN of a fleet         */
	double scale; /* request_rate over the workload's own rate            */
	/* of a closed loop, and ends of their interval; 0: an open loop     */
	uint64_t clients, clients_low, clients_high;
	double confidence;
	double saturation_rate; /* throughput of requests that come at once   */
	double recovery_rate; /* after an overload; NaN: not known            */
	double peak_rate;     /* the highest of a cycle                       */
	double turns;         /* requests of a session                        */
	double output_tokens; /* mean of the requests that are not rejected   */
	double rejected_share; /* of requests that are too long               */
	uint32_t replications, n_tests;
	uint64_t requests_per_replication, simulations, requests_simulated;
	double output_throughput; /* mean of the replications near the rate   */
	struct capacity_seen seen;
};

/* Half the interval's width, relative to the rate. */
double capacity_half_width(const struct capacity *c);
/* The bound that limits the rate, "saturation", "rejection" or
 * "too short". */
const char *capacity_limited_by(const struct capacity *c,
				const struct bounds *b);

/* Returns 1 if a carries less than b, an answer to the same question. */
int capacity_is_less(const struct capacity *a, const struct capacity *b);

/* How many requests of a workload an engine can never serve, and what those
 * that it serves look like (lengths.h). */
struct capacity_lengths {
	double rejected_share, output_tokens;
	uint64_t drawn, rejected;
	struct rejections why;
};

struct capacity_task {
	const struct engine *engine; /* the fleet                            */
	struct cost *const *cost;    /* as simulate() takes them             */
	const struct workload_keys *workload;
	const struct ini *cfg;
	const struct traces *traces; /* as workload_open_with() takes them    */
	const struct bounds *bounds;
	double
	    rate; /* requests/s to be carried; 0: the highest is looked for */
	int is_given;        /* the fleet stays: does it carry the rate?      */
	uint32_t most_units; /* of a fleet that is looked for; 0: no limit    */
	double precision;    /* half width of the interval asked for          */
	double confidence;
	/* Requests simulated until the interval is cut short; the runs that
	 * find the rate are not. */
	uint64_t request_limit;
	/* Where a search begins, requests/s or units; 0: anywhere            */
	double first_rate;
	uint32_t first_units;
	uint64_t least_requests; /* of a replication; 0: as rule L asks       */
	/* The rate or fleet alone is asked: no recovery_rate, no other router,
	 * and of a trace no interval. */
	int is_pessimistic;
	FILE *said; /* notes on the workload, lines on rejections; or NULL   */
	void *step_memory;
	size_t step_bytes; /* of it                                           */
};
/* The share of requests that may be too long to be served. */
#define CAPACITY_MOST_REJECTED 0.001

/* One simulation near the answer. */
struct capacity_run {
	double log_rate; /* in a closed loop of the number of clients         */
	uint32_t number;
	uint32_t grows; /* the queue                                          */
	double excess[CAPACITY_BOUNDS], value[CAPACITY_BOUNDS];
	double realised; /* requests/s over those asked for                   */
	double hit_rate;
	double joules_per_token;
	double requests_per_s; /* completed                                   */
	uint64_t requests, completed, rejected;
};
enum { CAPACITY_RUNS = 1024, CAPACITY_TRIED = 512 };
/* One simulation of the search, as a point of the curve of excess over load.
 * It may be far from the answer. */
struct capacity_tried {
	double load; /* requests/s; in a closed loop clients                  */
	double excess[CAPACITY_BOUNDS], value[CAPACITY_BOUNDS];
};
/* The replications at a rate, in the order of their numbers. */
struct capacity_end {
	double x; /* ln of the rate                                           */
	uint32_t n;
	uint32_t probed; /* requests of the first, where it was a probe       */
	struct capacity_run run[CAPACITY_RUNS];
};
struct capacity_search {
	int is_over; /* the answer is final                                  */
	struct capacity answer;
	struct capacity_test test[CAPACITY_TESTS]; /* [answer.n_tests]       */
	uint64_t requests; /* of a replication                         */
	struct capacity_end low, high; /* of the bracket: met, not met        */
	int is_jump; /* the excess jumps between them                         */
	uint32_t n_tried; /* the first of them are kept                       */
	struct capacity_tried tried[CAPACITY_TRIED];
	/* of a closed loop */
	uint32_t n;
	struct capacity_run run[CAPACITY_RUNS];
};
