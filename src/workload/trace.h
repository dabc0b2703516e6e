/* workload/trace.h -- request traces of several formats as one kind of row,
 * streaming.
 *
 * What a format is, its reader says: workload/format/NAME.c.  A trace is read
 * as often as needed, so it is a regular file.  Times are int64 ns and never go
 * through a double; all formats but `stepcost` count from their first row.
 * The reader's faults are "file:line: what" (EXIT_INPUT). */
#ifndef SC_WORKLOAD_TRACE_H
#define SC_WORKLOAD_TRACE_H
#include "base/problem.h"
#include "workload/trace_row.h"

struct trace;
/* A file of unknown format is told from its header or its first lines; where
 * they leave a doubt, it is refused.  NULL: *p (EXIT_USAGE: no such file). */
struct trace *trace_open(const char *path, const struct trace_options *o,
			 struct problem *p);
/* 1: a row; 0: the end; -1: *p. */
int trace_next(struct trace *t, struct trace_row *row, struct problem *p);
/* The next row will be the one that stood at that offset and line. */
int trace_seek(struct trace *t, uint64_t offset, uint64_t line,
	       struct problem *p);
int trace_rewind(struct trace *t, struct problem *p);

const char *trace_format_name(const struct trace *t);
/* "file:line: no requests", after reading; returns -1. */
int trace_no_requests(const struct trace *t, struct problem *p);
int trace_has_times(const struct trace *t);
int trace_takes_lengths(const struct trace *t); /* of [workload]           */
int trace_is_absolute(const struct trace *t);   /* time 0: the run's start  */
uint64_t trace_failed(const struct trace *t);   /* dropped since the rewind   */
/* What the reader assumed that its user should know, or NULL. */
const char *trace_note(const struct trace *t);
void trace_free(struct trace *t);
#endif
