/* report/progress.h -- how far a command is: a line on the terminal while it
 * runs for more than a second.  It has the work done and the whole, the time
 * that it has taken and will take, and the best so far. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "jobs/jobs.h"

struct progress_meter {
	int wanted;       /* standard error is a terminal, and no --quiet */
	int64_t began_ns; /* monotonic */
	int64_t line_ns;  /* of the last line */
	int shown;        /* the line is on the terminal */
};
struct progress_state {
	const char *unit;   /* "configurations" */
	uint64_t done, all; /* all 0: not known yet */
	uint64_t before;    /* among those done: they were there at the start */
	char more[100];     /* ", 2 failed"; "": nothing */
	char best[60];      /* "12.5 requests/s"; "": there is none */
};

void progress_begin(struct progress_meter *p, int quiet);
/* Returns 1 if a line is wanted now: every 0.2 s after the first second. */
int progress_is_due(const struct progress_meter *p);
/* Writes "47 of 176 configurations, 2 failed, 12 s, 33 s left, best 12.5
 * requests/s". */
void progress_write(FILE *f, const struct progress_state *s, double seconds);
/* Shows that line in place of the last one. */
void progress_line(struct progress_meter *p, const struct progress_state *s);
/* For jobs_options.progress; user is the struct progress_meter. */
void progress_show(void *user, const struct job *job, size_t n);
/* Removes the line. */
void progress_end(struct progress_meter *p);
