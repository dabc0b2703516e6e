/* report/sweep/sweep_progress.h -- the progress of a sweep: a line on a
 * terminal, and a line in a file for other hosts to read. */
#pragma once
#include <stdint.h>
#include "base/problem.h"
#include "report/progress.h"
#include "sweep/run.h"

struct sweep_progress {
	struct progress_meter line;
	const char *file; /* one line, always replaced as a whole; NULL: none */
	int64_t file_ns;  /* when it was written; monotonic */
};
void sweep_progress_begin(struct sweep_progress *p, int quiet,
			  const char *file);
/* For sweep_how.progress; user is the struct sweep_progress. */
int sweep_progress_show(void *user, const struct sweep_counts *c,
			struct problem *p);
/* Removes the line and writes the file once more. */
void sweep_progress_end(struct sweep_progress *p, const struct sweep_counts *c);
