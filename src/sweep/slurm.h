/* sweep/slurm.h -- a sweep as a job array of Slurm: each task computes one
 * shard into a store of its own, in a folder that the nodes share.
 *
 * FOLDER holds plan.json (the plan), job.sh (the script of the job), job (the
 * number from Slurm), and for each shard its store, a line of progress and the
 * output of its task.  Other processes open a store only when squeue no longer
 * knows the job.  Talks to Slurm only through its commands.  [main]; no
 * printing. */
#pragma once
#include <stdio.h>
#include "base/names.h"
#include "sweep/sweep.h"

enum { SLURM_ID = 32 };

struct slurm {
	const char *folder;
	/* of sbatch, as a line of the script; NULL: none */
	const char *options;
	int64_t shards;
	/* The command of a task: "stepcost", "sweep", CONFIG, --axis, ...;
	 * without the shard. */
	struct names word;
	int jobs_given; /* 1: they include --jobs; 0: use the CPUs per task */
	/* The study in the tasks' stores, without a shard; owned by the caller.
	 */
	const struct store_study *study;
	const struct names *axis;
};

/* Write the job script, and the command that submits some of its shards;
 * wanted: [shards]. */
void slurm_script(FILE *f, const struct slurm *l);
char *slurm_command(const struct slurm *l, const unsigned char *wanted);
/* Describes the computation: configuration, axes, arms, SHA-256 of plugins and
 * trace.  The caller frees it; NULL: memory is out. */
char *slurm_plan(const struct sweep *s, const struct slurm *l);

/* Makes FOLDER, unless it is there.  Returns 0, or -1 with *p filled in. */
int slurm_make_folder(const struct slurm *l, struct problem *p);
/* Returns 1 if FOLDER holds this plan, 0 if it holds none or another. */
int slurm_has_plan(const struct slurm *l, const char *plan);
/* Writes plan and script, submits, and writes the job's number to FOLDER/job.
 * Returns 0, or -1 with *p filled in. */
int slurm_submit(const struct slurm *l, const char *plan,
		 const unsigned char *wanted, struct problem *p);
/* Reads the number of the job that was submitted; "": none. */
void slurm_job(const struct slurm *l, char id[SLURM_ID]);
/* Returns 1 if squeue knows the job, 0 if not, or -1 with *p filled in if
 * squeue cannot tell now. */
int slurm_knows(const char *id, struct problem *p);
void slurm_cancel(const char *id);

/* Returns FOLDER/shard-I.db + suffix; the caller frees it; NULL: memory is
 * out. */
char *slurm_shard_path(const struct slurm *l, int64_t shard,
		       const char *suffix);
/* Returns 1 if its store has all rows.  Call it only while no task runs. */
int slurm_is_finished(const struct slurm *l, const struct sweep *s,
		      int64_t shard);
