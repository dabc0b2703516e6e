/* sweep/run.h -- passes the points of a sweep to workers, and their rows to the
 * store.  [main]; no printing. */
#pragma once
#include "store/damage.h"
#include "sweep/sweep.h"

/* Rows of the plan (or of the shard), and the progress of the sweep. */
struct sweep_counts {
	uint64_t all, done; /* done: including those that were there before */
	uint64_t refused, failed; /* among those done */
	uint64_t computed;        /* in this call */
	uint64_t points;          /* of the plan or the shard */
	struct damage dropped;    /* rows of the store, before it began */
};
struct sweep_how {
	unsigned at_once; /* number of workers; 0: one per core */
	int in_process;
	double answer_limit_s, memory_limit_gib;
	int retry;             /* 1: computes failed rows again */
	int64_t shard, shards; /* of points; shards 0: all points */
	/* Called every few milliseconds; may be NULL.  Returns 0, or -1 with *p
	 * filled in. */
	int (*progress)(void *user, const struct sweep_counts *c,
			struct problem *p);
	void *user;
};
/* Computes the missing rows into a store that is open for writing.  Returns 0
 * when the store is complete; or -1 with *p filled in, perhaps because the user
 * interrupted: then *interrupted is the signal.  Finished rows are in the
 * store. */
int sweep_run(struct sweep *s, struct store *store, const struct sweep_how *how,
	      struct sweep_counts *counts, int *interrupted, struct problem *p);
/* Returns the bytes for the step of any point; if they are too few, workers
 * allocate their own. */
size_t sweep_step_bytes(const struct sweep *s);
/* Returns the number of rows of a complete shard; shards 0: of the whole
 * plan. */
uint64_t sweep_rows(const struct sweep *s, int64_t shard, int64_t shards);
