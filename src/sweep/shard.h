/* sweep/shard.h -- which points of a plan are this task's: those whose place is
 * I modulo N. */
#ifndef SC_SWEEP_SHARD_H
#define SC_SWEEP_SHARD_H
#include <stdint.h>
#include "base/problem.h"

struct shard {
	int64_t i, n; /* n 0: no shard, all points                           */
};
/* text: "I/N", "I", "" (then I is SLURM_ARRAY_TASK_ID or
 * JOB_COMPLETION_INDEX); NULL: no shard.  n: of --shards, 0: not given.  How
 * many tasks a scheduler was given is not asked: of an array that is submitted
 * again it may be a part.  0, or -1 with *p. */
int shard_parse(struct shard *out, const char *text, int64_t n,
		struct problem *p);
#endif
