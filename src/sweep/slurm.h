/* sweep/slurm.h -- a sweep as a job array of Slurm: each task computes one
 * shard into a store of its own, in a folder that the nodes share.
 *
 * FOLDER holds plan.json (what is computed), job.sh (how), job (the number that
 * Slurm gave it), and of each shard its store, a line of progress and what its
 * task said.  A store is opened by others only when squeue no longer knows the
 * job.  Talks to Slurm through its commands alone.  [main]; no printing. */
#ifndef SC_SWEEP_SLURM_H
#define SC_SWEEP_SLURM_H
#include <stdio.h>
#include "base/names.h"
#include "sweep/sweep.h"

enum { SLURM_ID = 32 };

struct slurm {
	const char *folder;
	const char *options; /* of sbatch, a line of the script; NULL: none  */
	int64_t shards;
	struct names word; /* of the command that a task runs: "stepcost",
			      "sweep", CONFIG, --axis, ...; not the shard     */
	int jobs_given;    /* they say --jobs; else as many as CPUs per task */
};

/* The job script, and the command that submits those shards of it; wanted:
 * [shards]. */
void slurm_script(FILE *f, const struct slurm *l);
char *slurm_command(const struct slurm *l, const unsigned char *wanted);
/* What is computed: configuration, axes, arms, SHA-256 of plugins and trace.
 * free() it; NULL: out of memory. */
char *slurm_plan(const struct sweep *s, const struct slurm *l);

/* 1: FOLDER holds this plan; 0: none, or another.  -1: *p. */
int slurm_has_plan(const struct slurm *l, const char *plan, struct problem *p);
/* Writes plan and script, submits, and notes the job's number in FOLDER/job.
 * 0, or -1 with *p. */
int slurm_submit(const struct slurm *l, const char *plan,
		 const unsigned char *wanted, struct problem *p);
/* The job that was submitted; "": none. */
void slurm_job(const struct slurm *l, char id[SLURM_ID]);
/* 1: squeue knows it; 0: it does not; -1: squeue cannot say now, *p. */
int slurm_knows(const char *id, struct problem *p);
void slurm_cancel(const char *id);

/* FOLDER/shard-I.db + suffix; free() it; NULL: out of memory. */
char *slurm_shard_path(const struct slurm *l, int64_t shard,
		       const char *suffix);
/* 1: its store has all rows; 0: not.  Only while no task runs. */
int slurm_is_finished(const struct slurm *l, const struct sweep *s,
		      int64_t shard);
#endif
