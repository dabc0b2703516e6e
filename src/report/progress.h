/* report/progress.h -- a line on the terminal while jobs run for more than a
 * second: simulated time, how much faster than the real thing, requests done,
 * when it will be over. */
#ifndef SC_REPORT_PROGRESS_H
#define SC_REPORT_PROGRESS_H
#include <stddef.h>
#include <stdint.h>
#include "jobs/jobs.h"

struct progress {
	int wanted;       /* standard error is a terminal, and not --quiet    */
	int64_t began_ns; /* monotonic                                        */
	int shown;        /* the line is there                                */
};

void progress_begin(struct progress *p, int quiet);
/* jobs_options.progress; user is the struct progress. */
void progress_show(void *user, const struct job *job, size_t n);
/* Takes the line away. */
void progress_end(struct progress *p);
#endif
