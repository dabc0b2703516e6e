/* report/sweep/sweep_progress.h -- how far a sweep has come: a line on a
 * terminal, a line in a file that other hosts read. */
#ifndef SC_REPORT_SWEEP_SWEEP_PROGRESS_H
#define SC_REPORT_SWEEP_SWEEP_PROGRESS_H
#include <stdint.h>
#include "base/problem.h"
#include "sweep/run.h"

struct sweep_progress {
	int wanted; /* standard error is a terminal, and not --quiet         */
	int shown;  /* the line is there                                     */
	const char *file; /* one line, replaced as a whole; NULL: none       */
	int64_t began_ns, line_ns, file_ns; /* monotonic                     */
};
void sweep_progress_begin(struct sweep_progress *p, int quiet,
			  const char *file);
/* sweep_how.progress; user is the struct sweep_progress. */
int sweep_progress_show(void *user, const struct sweep_counts *c,
			struct problem *p);
/* Takes the line away; writes the file once more. */
void sweep_progress_end(struct sweep_progress *p, const struct sweep_counts *c);
#endif
