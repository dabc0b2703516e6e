/* capacity/stages.h -- the stages of a capacity search, as search.c calls
 * them, and what they share: a search on its way.
 *
 *   throughput.c  the limit of throughput; the answer where it is the limit
 *   pilot.c       the region of the root, and how long a run must be
 *   refine.c      slope, rounds of replications, the interval
 *   fixed.c       workloads without randomness: bisection
 *   stretches.c   traces at their own times
 *   closed.c      closed loops: the number of clients
 * [one thread] */
#ifndef SC_CAPACITY_STAGES_H
#define SC_CAPACITY_STAGES_H
#include "capacity/run.h"
#include "capacity/capacity.h"

struct searching {
	const struct capacity_task *task;
	struct capacity_search *s;
	struct rated rated;
	struct problem *p;
};

/* Simulates, and counts what it cost.  Returns 0, or -1 with *g->p. */
int stage_run(struct searching *g, const struct run_of *of,
	      struct run_result *out);
/* The search is over: no rate meets the bounds, which limited_by breaks. */
void stage_none(struct searching *g, const struct run_result *r,
		int32_t limited_by);
/* Returns 1 if more requests are rejected than may be (capacity.h), or nothing
 * was served. */
int stage_rejects(const struct run_result *r);
/* Simulates replication `number` at log rate x, and keeps it in s->run. */
int stage_replicate(struct searching *g, double x, uint32_t number);
/* Takes throughput, values and load from a run as those of the answer. */
void stage_describe(struct searching *g, const struct run_result *r);

/* The rest return 0, or -1 with *g->p; s->is_over may have become 1. */

/* Completions per second of m requests that come all at once. */
int throughput_of(struct searching *g, uint64_t m, double *per_s,
		  struct run_result *r);
/* Finds the limit of throughput, given its first estimate from m requests. */
int throughput_limit(struct searching *g, uint64_t m, double per_s);
/* Replaces the limit, which one seed gave, by the mean of several overloaded
 * runs.  Done once: a second call changes nothing. */
int throughput_measure(struct searching *g);
/* Ends the search with the limit of throughput as its answer. */
int throughput_answer(struct searching *g);

int pilot(struct searching *g);
int refine(struct searching *g, double half_width);
int fixed(struct searching *g);
int stretches(struct searching *g);
int closed_loop(struct searching *g);
#endif
