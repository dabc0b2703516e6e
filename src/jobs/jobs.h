/* jobs/jobs.h -- runs jobs (an arm; a seed of an arm; a measured row of an
 * arm), each in a child process of its own, as many at once as wanted, with
 * results as if they had run one after another.  A job that crashes, hangs or
 * grows without bound costs itself; it is named with the step its plugin was
 * at.
 *
 * What a job leaves behind: plain data in `shared`, text of any length in its
 * streams, a problem.  All of it is handed over when the job is done, with a
 * checksum: what a plugin wrote there does not count.  A child has nothing open
 * but its own streams.  Children end with their parent, whatever ends it, and
 * take what they started along; nothing has a name in the file system.
 * Not to be used from a process with threads.  [main] */
#ifndef SC_JOBS_JOBS_H
#define SC_JOBS_JOBS_H
#include "jobs/job.h"

/* -1 with *p: the jobs could not be run at all.  How each job fared is in
 * itself.  jobs_free() is due in any case. */
int jobs_run(struct jobs *all, struct job *job, size_t n, job_fn run,
	     const struct jobs_options *o, struct problem *p);
/* That stream of the jobs that went well, in order, behind each other. */
void jobs_join(const struct jobs *all, unsigned stream, FILE *to);
/* The highest exit code of all jobs. */
int jobs_code(const struct jobs *all);
void jobs_free(struct jobs *all);
#endif
