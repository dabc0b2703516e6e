/* report/sweep/sweep_progress.h -- the progress of a sweep: a line on a
 * terminal, and a line in a file for other hosts to read. */
#ifndef SC_REPORT_SWEEP_SWEEP_PROGRESS_H
#define SC_REPORT_SWEEP_SWEEP_PROGRESS_H
#include <stdint.h>
#include "base/problem.h"
#include "sweep/run.h"

struct sweep_progress {
	int wanted;       /* standard error is a terminal, and no --quiet */
	int shown;        /* the line is on the terminal */
	const char *file; /* one line, always replaced as a whole; NULL: none */
	int64_t began_ns, line_ns, file_ns; /* monotonic */
};
void sweep_progress_begin(struct sweep_progress *p, int quiet,
			  const char *file);
/* For sweep_how.progress; user is the struct sweep_progress. */
int sweep_progress_show(void *user, const struct sweep_counts *c,
			struct problem *p);
/* Removes the line and writes the file once more. */
void sweep_progress_end(struct sweep_progress *p, const struct sweep_counts *c);
#endif
