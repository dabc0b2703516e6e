/* sweep/run.h -- the points of a sweep handed to workers, their rows to the
 * store.  [main]; no printing. */
#ifndef SC_SWEEP_RUN_H
#define SC_SWEEP_RUN_H
#include "sweep/sweep.h"

/* Rows of the plan (or of the shard), as far as the sweep has come. */
struct sweep_counts {
	uint64_t all, done; /* done: also those that were there before       */
	uint64_t refused, failed; /* of done                                 */
	uint64_t computed; /* in this call                                  */
	uint64_t points;   /* of the plan or shard                          */
};
struct sweep_how {
	unsigned at_once; /* workers; 0: as many as there are cores          */
	int in_process;
	double answer_limit_s, memory_limit_gib;
	int retry; /* rows that failed once more                             */
	int64_t shard, shards; /* of points; shards 0: all                   */
	/* Every few milliseconds; may be NULL.  0, or -1 with *p. */
	int (*progress)(void *user, const struct sweep_counts *c,
			struct problem *p);
	void *user;
};
/* Computes what is missing, into a store that is open for writing.  0, or -1
 * with *p: it is full, or it was interrupted, and then *interrupted is the
 * signal; what is done is in the store. */
int sweep_run(struct sweep *s, struct store *store, const struct sweep_how *how,
	      struct sweep_counts *counts, int *interrupted, struct problem *p);
/* Rows that a finished shard has; shards 0: the whole. */
uint64_t sweep_rows(const struct sweep *s, int64_t shard, int64_t shards);
#endif
