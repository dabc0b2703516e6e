/* cmd/sweep_slurm.h -- `sweep --slurm`: submits the unfinished shards, waits
 * for them, and merges their stores. */
#ifndef SC_CMD_SWEEP_SLURM_H
#define SC_CMD_SWEEP_SLURM_H
#include "sweep/slurm.h"

struct slurm_errand {
	const struct slurm *slurm;
	const struct sweep *sweep;
	const char *store; /* the store that all shards are merged into */
	int quiet, dry_run;
	int interrupted; /* the signal, or 0 */
};
/* Returns 0 if the store is complete, or -1 with *p filled in. */
int sweep_on_slurm(struct slurm_errand *e, struct problem *p);
#endif
