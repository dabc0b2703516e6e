/* cmd/sweep_slurm.h -- `sweep --slurm`: submits what is unfinished, waits for
 * it, puts the shards together. */
#ifndef SC_CMD_SWEEP_SLURM_H
#define SC_CMD_SWEEP_SLURM_H
#include "sweep/slurm.h"

struct slurm_errand {
	const struct slurm *slurm;
	const struct sweep *sweep;
	const char *store; /* where the shards go in the end                 */
	int quiet, dry_run;
	int interrupted; /* the signal; else 0                               */
};
/* 0: the store is whole; -1 with *p. */
int sweep_on_slurm(struct slurm_errand *e, struct problem *p);
#endif
