/* jobs/job.h -- a job as its caller, its own code and jobs.h see it: its inputs
 * and its results. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "base/problem.h"
#include "jobs/captured_stderr.h"
#include "jobs/status.h"
#include "jobs/watch.h"

enum { JOB_STREAMS = 12 };
/* Default limits for one call of a plugin, and for the memory of a child. */
enum { JOB_ANSWER_LIMIT_S = 10, JOB_MEMORY_LIMIT_GIB = 4 };

struct job {
	/* Set by the caller: */
	const char *name; /* the arm, for messages */
	/* The plugin that it runs, used if the status has no name; may be
	 * NULL. */
	const char *plugin;
	void *user;
	/* Memory mapped before the fork that may also hold the columns of a
	 * step (a step log). */
	const void *given;
	size_t given_bytes;
	unsigned wanted_streams; /* bit i: stream[i] */
	/* Valid from jobs_run() until jobs_free(): */
	struct job_status *status;
	/* [jobs_options.live_bytes], zeroed at first; both processes see it at
	 * any time.  The columns of steps lie here. */
	void *live;
	/* [jobs_options.shared_bytes], zeroed at first: the job's result.
	 * Zeroed again if the job did not finish. */
	void *shared;
	/* The job writes, the caller reads; NULL: not wanted. */
	FILE *stream[JOB_STREAMS];
	/* For the job alone: */
	struct watch *watch; /* open */
	/* For the caller, afterwards; EXIT_DONE: it succeeded. */
	struct problem *problem;
	/* The errno of a failure of the machine that this job met
	 * (problem_machine_failed()); 0: none. */
	int machine_failed;
	/* The one line: arm, error, step; NULL: it succeeded. */
	char *complaint;
	/* The first CAPTURED_STDERR_BYTES of its standard error, ending with
	 * NUL; NULL: it wrote nothing.  not_kept: the number of bytes behind
	 * these. */
	char *captured_stderr;
	uint64_t not_kept;
};

/* Runs the job, in the child or (jobs_options.in_process) in the caller's
 * process; prints nothing.  Returns 0, or -1 with *p filled in. */
typedef int (*job_fn)(struct job *j, struct problem *p);

struct jobs_options {
	unsigned at_once; /* number of children; 0: one per core */
	/* No children, one job after another: for debuggers and sanitizers.  A
	 * failure is then not contained. */
	int in_process;
	double answer_limit_s;   /* for one call of a plugin; 0: none */
	double memory_limit_gib; /* address space of a child; 0: none */
	size_t shared_bytes, live_bytes;
	/* Called from time to time while jobs run; may be NULL. */
	void (*progress)(void *user, const struct job *job, size_t n);
	void *progress_user;
};

struct jobs {
	struct job *job; /* the caller's array */
	size_t n;
	/* The signal that ended the run; 0: none.  The caller cleans up and
	 * raises it again. */
	int interrupted;
	void *region;
	size_t region_bytes, slot_bytes;
};
