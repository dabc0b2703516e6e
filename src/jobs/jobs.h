/* jobs/jobs.h -- runs jobs (an arm; a seed of an arm; a measured run of an
 * arm), each in its own child process, as many at once as wanted.  The results
 * are the same as if the jobs had run one after another.  A job that crashes,
 * hangs or grows without bound fails alone; the message names the step that its
 * plugin was at.
 *
 * The results of a job are plain data in `shared`, text of any length in its
 * streams, and a problem.  All of it is handed over when the job is done, with
 * a checksum, so a plugin cannot change it.  A child has only its own streams
 * open.  Children end with their parent, however it ends, together with
 * everything that they started.  No file has a name in the file system.  Must
 * not be used in a process with threads.  [main] */
#pragma once
#include "jobs/job.h"

/* Returns -1 with *p filled in if the jobs could not be run at all.  Each job
 * says itself how it fared.  The caller calls jobs_free() in any case. */
int jobs_run(struct jobs *all, struct job *job, size_t n, job_fn run,
	     const struct jobs_options *o, struct problem *p);
/* Writes that stream of the jobs that succeeded and were to have it, in their
 * order. */
void jobs_join(const struct jobs *all, unsigned stream, FILE *to);
/* Returns the highest exit code of all jobs. */
int jobs_code(const struct jobs *all);
/* Returns 0, or -1 with the complaint of the first job that the machine failed:
 * memory, a descriptor, the bytes of a file.  Such a job has no answer, not
 * even a refusal. */
int jobs_if_machine_failed(const struct jobs *all, struct problem *p);
void jobs_free(struct jobs *all);
