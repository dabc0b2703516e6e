/* capacity/rate.h -- the keys of a workload at another density of its
 * arrivals.
 *
 * Rates are requests per second in the long run: sessions per second times
 * turns, and with pauses or stages the mean over a cycle.  Lengths and the
 * shape of the gaps stay; only the clock is scaled.  [any thread] */
#pragma once
#include "base/problem.h"
#include "workload/workload.h"

struct rated {
	const struct workload_keys *keys; /* as configured                   */
	double base; /* requests/s at the keys' own rate_scale                */
	uint64_t cycle; /* requests of the stages once through; 0: none       */
	double cycle_s; /* pauses, stages or a period once through; 0: none   */
	int is_closed; /* a closed loop: its rate is a number of clients      */
	int is_timed;  /* a trace at its own times: one draw, whatever the seed
			*/
	int is_retimed; /* a trace at generated times                        */
	int64_t first_ns; /* of one at its own times: its first arrival      */
	uint64_t rows;    /* of it                                            */
	char *stages;   /* owned: the stages, repeated                       */
	int64_t now_ns; /* a cycle as rated_at() made it last; 0: none        */
};

/* A rate of infinity counts as 1/s, because only the shape of the gaps matters.
 * c and traces: as workload_open_with() takes them.  Returns 0, or -1 with
 * *p: a trace cannot be read, or stages have no rate. */
int rated_open(struct rated *r, const struct workload_keys *k,
	       const struct ini *c, const struct traces *traces,
	       struct problem *p);
void rated_free(struct rated *r);
/* Returns 1 if requests differ from seed to seed. */
int rated_is_random(const struct rated *r);
/* Returns 1 if the rate changes in cycles. */
static inline int rated_has_cycles(const struct rated *r)
{
	return r->cycle_s > 0;
}
/* The keys for about n requests at a rate (a number of clients): at least n,
 * and whole sessions, or whole cycles and one more, which does not count.
 * *requests tells how many.  A cycle of more than RATED_CYCLE_MOST requests is
 * shortened by 2, 4, ... until RATED_CYCLE_ENOUGH would be too few: the queue
 * of a peak scales with the period, and the share of late requests does not
 * change.  Stages that are too short for the rate become longer.  *k borrows
 * from *r until the next call.  Returns 0, or -1 with *p. */
enum { RATED_CYCLE_MOST = 1 << 17, RATED_CYCLE_ENOUGH = 50000 };
int rated_at(struct rated *r, double rate, uint64_t n, uint64_t seed,
	     struct workload_keys *k, uint64_t *requests, struct problem *p);
/* The share of a retimed trace at which a replication begins: another one for
 * each of 64 numbers in a row. */
double rated_begin(const struct rated *r, uint32_t number, uint64_t seed);
/* The same for stages once through, as they are. */
void rated_once(const struct rated *r, uint64_t seed, struct workload_keys *k,
		uint64_t *requests);
/* The highest rate of a cycle over its mean; 1 without cycles. */
double rated_peak(const struct rated *r);
/* The same for workload_send_at_once(), with the rate as configured. */
void rated_at_once(const struct rated *r, uint64_t n, uint64_t seed,
		   struct workload_keys *k, uint64_t *requests);
