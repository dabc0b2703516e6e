/* workload/arrival.h -- arrival times of requests: open-loop processes, in
 * integer ns from the run's start.  The arrivals of a seed are the same in
 * every arm.
 *
 * Constant: arrival k at round(k * 1e9 / rate) ns, or exactly k * interval.
 * Poisson, gamma, weibull: gaps with mean 1 / rate and the given CV, each
 * rounded to ns; the first gap precedes the first arrival.  Burst: `burst`
 * arrivals at one instant, every burst / rate seconds, from 0 on.  With an
 * infinite rate all arrive at 0.
 *
 * Diurnal: a Poisson process with a rate that swings once a period, from the
 * trough at 0 to the peak in the middle: rate * (1 - swing * cos(2 pi t /
 * period)).  It is drawn by thinning (Lewis & Shedler 1979), which is exact:
 * candidates come at the peak's rate, and each is kept with the share that the
 * rate then has of the peak's.
 *
 * Stages: stage s has exactly round(rate * seconds) arrivals from its start; it
 * ends after its seconds, and a rate of 0 is a pause.  Random gaps are scaled
 * to fill their stage (for Poisson this is exactly the process, given its
 * count).
 *
 * On and off: the process runs for on_ns, then pauses for off_ns,
 * repeatedly. */
#pragma once
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
	ARRIVAL_DIURNAL,
};

/* Gaps of mean 1. */
struct gaps {
	enum arrival_process process; /* neither burst nor diurnal */
	double shape, scale;
};
void gaps_init(struct gaps *g, enum arrival_process process, double cv);
double gaps_draw(const struct gaps *g, struct rng *r);
/* Gaps are drawn in blocks of this size, because the arithmetic for one gap
 * overlaps with that for the next. */
enum { GAPS_AHEAD = 32 };

struct arrival_stage {
	double rate, seconds;
};

struct arrival {
	/* Set by the caller before arrival_start(): */
	enum arrival_process process;
	double rate;        /* per second; used if interval_us is 0 */
	double interval_us; /* 0: use rate */
	double cv;          /* for gamma and weibull */
	uint64_t burst;
	double peak_to_trough; /* >= 1; for diurnal: rates, and their period */
	int64_t period_ns;
	int64_t on_ns, off_ns;       /* on_ns 0: always on */
	struct arrival_stage *stage; /* owned; NULL: use rate */
	uint32_t n_stages;
	/* Private: */
	struct gaps gaps;
	struct rng rng;
	/* next arrival, counted in the run or the stage */
	uint64_t k, stage_count;
	uint32_t s;
	int64_t now_ns, stage_ns;
	double sum, total; /* of the random gaps of a stage */
	uint32_t n_gaps;   /* gaps left in gap[]; only without stages */
	double gap[GAPS_AHEAD];
};

/* Parses "rate:seconds,rate:seconds,…" into *stage, which the caller frees, and
 * *n.  Returns 0, or -1 with *p filled in (EXIT_USAGE).  at and key are as in
 * distribution.h. */
int arrival_parse_stages(const char *text, const char *at, const char *key,
			 struct arrival_stage **stage, uint32_t *n,
			 struct problem *p);
uint64_t arrival_stage_count(const struct arrival_stage *g);
/* The requests of all stages. */
uint64_t arrival_in_stages(const struct arrival *a);
void arrival_start(struct arrival *a, uint64_t seed);
/* Returns 1 if gaps are drawn; a stage draws its gaps before its first
 * arrival. */
int arrival_is_random(const struct arrival *a);
/* Returns 1 with the next arrival in *ns; 0 if the stages are over; -1 if the
 * arrival is beyond REQUEST_LAST_NS, where the clock ends. */
int arrival_next(struct arrival *a, int64_t *ns);
