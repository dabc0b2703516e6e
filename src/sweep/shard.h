/* sweep/shard.h -- which points of a plan belong to this task: those with index
 * I modulo N. */
#pragma once
#include <stdint.h>
#include "base/problem.h"

struct shard {
	int64_t i, n; /* n 0: no shard, all points */
};
/* text: "I/N", "I", or "" (then I is SLURM_ARRAY_TASK_ID or
 * JOB_COMPLETION_INDEX); NULL: no shard.  n: from --shards, 0: not given.  The
 * scheduler's own number of tasks is not used, because an array that is
 * submitted again may be only a part.  Returns 0, or -1 with *p filled in. */
int shard_parse(struct shard *out, const char *text, int64_t n,
		struct problem *p);
