/* capacity/stages.h -- the stages of a capacity search, as search.c calls
 * them, and what they share: a search that runs.
 *
 *   settle.c      one simulation, as long as it must be
 *   carries.c     whether a fleet carries a rate
 *   highest.c     the highest rate of a fleet
 *   least.c       the least fleet for a rate
 *   recovery.c    the rate at which an overload is worked off
 *   stretches.c   traces at their own times
 *   closed.c      closed loops: the number of clients
 * [one thread] */
#pragma once
#include "engine/units.h"
#include "capacity/capacity.h"
#include "capacity/lengths.h"
#include "capacity/run.h"

struct searching {
	struct capacity_task task; /* of the fleet below                      */
	struct capacity_search *s;
	struct rated rated;
	struct problem *p;
	const struct engine *given; /* the engine of the configuration        */
	struct engine engine; /* with the units under test               */
	uint32_t units;
	void *memory; /* owned: of steps, where the task's is too small       */
	size_t memory_bytes;
	int is_random; /* requests differ from seed to seed                   */
	int has_reuse; /* prompts can be found in prefix caches               */
	double from_s; /* of an autoscaler: earlier requests do not count */
	int is_short;  /* a run was shorter than rule L asks                  */
};

enum {
	SETTLE_LEAST = 2000, /* requests of a replication                 */
	SETTLE_MOST = 1 << 17,
	DECISIVE_LEAST = 16000,  /* where an answer rests on it               */
	REUSE_LEAST_S = 300,     /* so long a replication lasts with reuse    */
	LEFT_OUT_MOST = 1 << 19, /* requests before an autoscaler settles     */
};
/* The time after which requests at a rate count, s. */
static inline double stage_from_s(const struct searching *g, double rate)
{
	double most = LEFT_OUT_MOST / rate;
	return g->from_s < most ? g->from_s : most;
}

/* Makes the fleet under test one of that many units.  Returns 0, or -1 with
 * *g->p: memory is out. */
int stage_units(struct searching *g, uint32_t units);
/* Simulates, and counts what it cost.  Returns 0, or -1 with *g->p. */
int stage_run(struct searching *g, const struct run_of *of,
	      struct run_result *out);
/* Simulates replication `number` at log rate x with g->s->requests, and adds it
 * to the end.  Returns 0, or -1 with *g->p. */
int stage_replicate(struct searching *g, struct capacity_end *end,
		    uint32_t number);
/* The search is over: no rate meets the bounds, which limited_by breaks. */
void stage_none(struct searching *g, int32_t limited_by);
/* Takes values and load from a run as those of the answer. */
void stage_describe(struct searching *g, const struct run_result *r);
/* Refuses a workload with too many requests that are too long; the answer
 * knows its lengths.  Returns 0 (g->s->is_over may be 1), or -1 with *g->p. */
int stage_lengths(struct searching *g);

/* The rest return 0, or -1 with *g->p; g->s->is_over may have become 1. */

/* Simulates the first replication at a rate with as many requests as rule L
 * asks, at least `least`: g->s->requests.  Growth is believed only if it is
 * there in runs of 2 and 4 times the length, too. */
int settle(struct searching *g, double rate, uint64_t least,
	   struct run_result *r);
/* A few requests, each nearly alone in the engine. */
int stage_unloaded(struct searching *g, double per_s);
/* Completions per second of all requests at once: where a search begins. */
int stage_at_once(struct searching *g, double *per_s);

/* Tests with up to CARRIES_LAST_LOOK replications of at least `least`. */
enum { CARRIES_LAST_LOOK = 48 };
int carries(struct searching *g, uint32_t units, uint64_t least,
	    struct capacity_test *test);
int highest(struct searching *g);
/* From the probed region on, until the half width is at most that. */
int highest_refine(struct searching *g, double half_width);
int least_fleet(struct searching *g);
int recovery(struct searching *g);
int stretches(struct searching *g);
int closed_loop(struct searching *g);
