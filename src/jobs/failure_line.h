/* jobs/failure_line.h -- the one line about a job that failed: the arm, the
 * error, and the question that its plugin was asked. "arm NAME: what at step N;
 * step,decode,prefill,sampled: ..."  [one thread] */
#pragma once
#include <stddef.h>
#include "base/problem.h"
#include "jobs/status.h"

/* Memory that may hold the columns of a step, at the same address in the
 * process that wrote the status and in the one that reads it. */
struct memory_range {
	const void *at;
	size_t bytes;
};
/* name: NULL for a line without the arm.  A column of the step is only read if
 * it lies in one of the n ranges; n 0: anywhere.  The caller frees the result;
 * NULL: memory is out. */
char *failure_line(const char *name, const struct problem *p,
		   const struct job_status *status,
		   const struct memory_range *range, size_t n);
