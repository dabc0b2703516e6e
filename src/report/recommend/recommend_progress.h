/* report/recommend/recommend_progress.h -- how far a recommendation is: a line
 * on a terminal. */
#ifndef SC_REPORT_RECOMMEND_RECOMMEND_PROGRESS_H
#define SC_REPORT_RECOMMEND_RECOMMEND_PROGRESS_H
#include "recommend/state.h"

struct recommend_progress {
	int wanted; /* standard error is a terminal, and no --quiet           */
	int shown;  /* the line is on the terminal                            */
	int64_t began_ns, line_ns; /* monotonic                               */
};
void recommend_progress_begin(struct recommend_progress *p, int quiet);
/* For recommend_request.progress; user is the struct recommend_progress. */
void recommend_progress_show(void *user, const struct recommend *r);
/* Removes the line. */
void recommend_progress_end(struct recommend_progress *p);
/* Writes "47 of 176 configurations tried, 61 simulations, 12 s". */
void recommend_progress_write(FILE *f, const struct recommend *r,
			      double seconds);
#endif
