/* jobs/jobs.h -- runs jobs (an arm; a seed of an arm; a measured row of an
 * arm), each in a child process of its own, as many at once as wanted, with
 * results as if they had run one after another.  A job that crashes, hangs or
 * grows without bound costs itself; it is named with the step its plugin was
 * at.
 *
 * What a job leaves behind: plain data in `shared`, text of any length in its
 * streams, a problem.  Children end with their parent, whatever ends it, and
 * take what they started along; nothing has a name in the file system.
 * Not to be used from a process with threads.  [main] */
#ifndef SC_JOBS_JOBS_H
#define SC_JOBS_JOBS_H
#include <stddef.h>
#include <stdio.h>
#include "base/problem.h"
#include "jobs/status.h"

enum { JOB_STREAMS = 8 };
/* Of a call of a plugin, and of a child, where the user says nothing else. */
enum { JOB_ANSWER_LIMIT_S = 10, JOB_MEMORY_LIMIT_GIB = 4 };

struct job {
	/* the caller's */
	const char *name; /* the arm, for messages                           */
	void *user;
	/* Memory mapped before the fork in which a step's columns may also
	 * lie (a step log). */
	const void *given;
	size_t given_bytes;
	unsigned wanted_streams; /* bit i: stream[i]                        */
	/* from jobs_run() on, until jobs_free() */
	struct job_status *status; /* for guard_install() */
	void *shared; /* jobs_options.shared_bytes, zero at first     */
	FILE *stream[JOB_STREAMS]; /* the job writes, the caller reads; NULL:
				      not wanted                             */
	/* for the job alone */
	volatile unsigned char *printed; /* for guard_install()              */
	/* for the caller, afterwards; EXIT_DONE: it went well */
	struct problem *problem;
	char *complaint; /* the one line: arm, what, step; NULL: it went well*/
};

/* Runs in the child (or not: jobs_options.in_process), prints nothing.
 * 0, or -1 with *p. */
typedef int (*job_fn)(struct job *j, struct problem *p);

struct jobs_options {
	unsigned at_once; /* children; 0: as many as there are cores         */
	int in_process;   /* no children, one after another: for debuggers
			     and sanitizers; no containment                  */
	double answer_limit_s; /* for one call of a plugin; 0: none          */
	double memory_limit_gib; /* address space of a child; 0: none        */
	size_t shared_bytes;
	/* now and then, while jobs run; may be NULL */
	void (*progress)(void *user, const struct job *job, size_t n);
	void *progress_user;
};

struct jobs {
	struct job *job; /* the caller's array                               */
	size_t n;
	int interrupted; /* the signal that ended it all, 0: none; the caller
			    cleans up and raises it again                    */
	void *region;
	size_t region_bytes, slot_bytes;
};

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
