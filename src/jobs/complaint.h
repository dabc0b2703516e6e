/* jobs/complaint.h -- the one line about a job that went wrong: which arm,
 * what, and the question that its plugin was asked. "arm NAME: what at step N;
 * step,decode,prefill,sampled: ..."  [one thread] */
#ifndef SC_JOBS_COMPLAINT_H
#define SC_JOBS_COMPLAINT_H
#include <stddef.h>
#include "base/problem.h"
#include "jobs/status.h"

/* Memory in which a step's columns may lie, at the same address for whoever
 * wrote the status and whoever reads it. */
struct memory_range {
	const void *at;
	size_t bytes;
};
/* name: NULL for a line without the arm.  A column of the step is believed
 * where it lies in one of the n ranges; n 0: anywhere.  free() it; NULL: out of
 * memory. */
char *complaint_line(const char *name, const struct problem *p,
		     const struct job_status *status,
		     const struct memory_range *range, size_t n);
#endif
