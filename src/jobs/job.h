/* jobs/job.h -- a job as its caller, its own code and jobs.h see it: what it is
 * given, what it leaves. */
#ifndef SC_JOBS_JOB_H
#define SC_JOBS_JOB_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "base/problem.h"
#include "jobs/overheard.h"
#include "jobs/status.h"
#include "jobs/watch.h"

enum { JOB_STREAMS = 8 };
/* Of a call of a plugin, and of a child, where the user says nothing else. */
enum { JOB_ANSWER_LIMIT_S = 10, JOB_MEMORY_LIMIT_GIB = 4 };

struct job {
	/* the caller's */
	const char *name;   /* the arm, for messages                         */
	const char *plugin; /* whose code it runs, where nobody else knows;
			       may be NULL                                  */
	void *user;
	/* Memory mapped before the fork in which a step's columns may also
	 * lie (a step log). */
	const void *given;
	size_t given_bytes;
	unsigned wanted_streams; /* bit i: stream[i]                        */
	/* from jobs_run() on, until jobs_free() */
	struct job_status *status;
	void *live;   /* jobs_options.live_bytes, zero at first, which both see
			 at any time: where the columns of steps lie       */
	void *shared; /* jobs_options.shared_bytes, zero at first: what the job
			 leaves.  Zero again if it did not come to its end  */
	FILE *stream[JOB_STREAMS]; /* the job writes, the caller reads; NULL:
				      not wanted                             */
	/* for the job alone */
	struct watch *watch; /* open                                         */
	/* for the caller, afterwards; EXIT_DONE: it went well */
	struct problem *problem;
	char *complaint; /* the one line: arm, what, step; NULL: it went well*/
	/* What came on its standard error, the first OVERHEARD_BYTES, ended
	 * by NUL; NULL: nothing.  How much was not kept. */
	char *overheard;
	uint64_t not_kept;
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
	size_t shared_bytes, live_bytes;
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
#endif
