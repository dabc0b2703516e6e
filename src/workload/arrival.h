/* workload/arrival.h -- when requests arrive: open-loop processes, in integer
 * ns from the run's start.  The arrivals of a seed are the same in every arm.
 *
 * Constant: arrival k at round(k * 1e9 / rate) ns, or exactly k * interval.
 * Poisson, gamma, weibull: gaps of mean 1 / rate and the given CV, each
 * rounded to ns; the first gap precedes the first arrival.  Burst: `burst` at
 * one instant, every burst / rate seconds, from 0 on.  A rate of infinity:
 * all at 0.
 *
 * Stages: stage s has exactly round(rate * seconds) arrivals from its start;
 * it ends after its seconds, and a rate of 0 is a pause.  Random gaps in a
 * stage are scaled to fill it (for Poisson: exactly the process, given its
 * count).
 *
 * On and off: the process runs for on_ns, stands still for off_ns, and so on.
 */
#ifndef SC_WORKLOAD_ARRIVAL_H
#define SC_WORKLOAD_ARRIVAL_H
#include <stdint.h>
#include "base/problem.h"
#include "math/rng.h"
#include "workload/request.h"

enum arrival_process {
	ARRIVAL_POISSON,
	ARRIVAL_CONSTANT,
	ARRIVAL_GAMMA,
	ARRIVAL_WEIBULL,
	ARRIVAL_BURST,
};

/* Gaps of mean 1. */
struct gaps {
	enum arrival_process process; /* not ARRIVAL_BURST                   */
	double shape, scale;
};
void gaps_init(struct gaps *g, enum arrival_process process, double cv);
double gaps_draw(const struct gaps *g, struct rng *r);
/* So many are drawn together: the arithmetic of one goes on while that of the
 * next begins. */
enum { GAPS_AHEAD = 32 };

struct arrival_stage {
	double rate, seconds;
};

struct arrival {
	/* set by the caller, then arrival_start() */
	enum arrival_process process;
	double rate;        /* per second; or                               */
	double interval_us; /* 0: by rate                                   */
	double cv;          /* of gamma and weibull                         */
	uint64_t burst;
	int64_t on_ns, off_ns; /* on_ns 0: always on                         */
	struct arrival_stage *stage; /* owned; then rate is not used          */
	uint32_t n_stages;
	/* its own */
	struct gaps gaps;
	struct rng rng;
	uint64_t k, stage_count; /* next arrival, of the whole or the stage   */
	uint32_t s;
	int64_t now_ns, stage_ns;
	double sum, total; /* of a stage's random gaps                        */
	uint32_t n_gaps;   /* left, of those drawn ahead; without stages      */
	double gap[GAPS_AHEAD];
};

/* "rate:seconds,rate:seconds,…" -> *stage (free it), *n.  0, or -1 with *p
 * (EXIT_USAGE), at and key as in distribution.h. */
int arrival_parse_stages(const char *text, const char *at, const char *key,
			 struct arrival_stage **stage, uint32_t *n,
			 struct problem *p);
uint64_t arrival_stage_count(const struct arrival_stage *g);
void arrival_start(struct arrival *a, uint64_t seed);
/* 1: gaps are drawn, those of a stage before its first arrival. */
int arrival_is_random(const struct arrival *a);
/* 1 with the next arrival in *ns; 0: the stages are over; -1: it is beyond
 * REQUEST_LAST_NS, where the clock ends. */
int arrival_next(struct arrival *a, int64_t *ns);
#endif
