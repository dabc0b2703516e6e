/* cmd/sweep/sweep_slurm.h -- `sweep --slurm`: submits the unfinished
 * shards, waits for them, and merges their stores. */
#pragma once
#include "base/cmdline.h"
#include "sweep/slurm.h"

/* The options about shards. */
struct slurm_options {
	const char *shard;
	int64_t shards;
	const char *folder, *sbatch;
	int dry_run;
};
/* Refuses options that do not go together.  Returns 0, or -1 with *p. */
int slurm_options_check(const struct slurm_options *o, struct problem *p);

struct slurm_work {
	struct slurm *slurm; /* without folder, options and words            */
	const struct sweep *sweep;
	const char *store; /* the store that all shards are merged into */
	int interrupted;   /* the signal, or 0 */
};
/* Returns 0 if the store is complete or if this is a dry run, or -1 with *p
 * filled in. */
int sweep_on_slurm(struct slurm_work *e, const struct cmdline *c,
		   const struct slurm_options *o, struct problem *p);
