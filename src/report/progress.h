/* report/progress.h -- shows a line on the terminal while jobs run for more
 * than a second: simulated time, its ratio to real time, requests done,
 * remaining time. */
#ifndef SC_REPORT_PROGRESS_H
#define SC_REPORT_PROGRESS_H
#include <stddef.h>
#include <stdint.h>
#include "jobs/jobs.h"

struct progress {
	int wanted;       /* standard error is a terminal, and no --quiet */
	int64_t began_ns; /* monotonic */
	int shown;        /* the line is on the terminal */
};

void progress_begin(struct progress *p, int quiet);
/* For jobs_options.progress; user is the struct progress. */
void progress_show(void *user, const struct job *job, size_t n);
/* Removes the line. */
void progress_end(struct progress *p);
#endif
