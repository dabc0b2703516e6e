/* workload/trace/trace.h -- request traces of several formats as one kind of
 * row, streaming.
 *
 * The reader of a format describes it: workload/format/NAME.c.  A trace must be
 * a regular file, because it is read as often as needed.  Times are int64 ns
 * and never go through a double.  In all formats except `stepcost` times count
 * from the first row.  A reader's errors are "file:line: what" (EXIT_INPUT). */
#pragma once
#include "base/problem.h"
#include "workload/trace/trace_row.h"

struct trace;
/* Opens a trace.  If the format is not given, the header or the first lines
 * decide; a file that fits several formats is refused.  Returns NULL with *p
 * filled in (EXIT_USAGE: no such file). */
struct trace *trace_open(const char *path, const struct trace_options *o,
			 struct problem *p);
/* Returns 1 with a row, 0 at the end, or -1 with *p filled in. */
int trace_next(struct trace *t, struct trace_row *row, struct problem *p);
/* Makes the row at that offset and line the next one. */
int trace_seek(struct trace *t, uint64_t offset, uint64_t line,
	       struct problem *p);
int trace_rewind(struct trace *t, struct problem *p);

const char *trace_format_name(const struct trace *t);
/* Reports "file:line: no requests", after reading.  Returns -1. */
int trace_no_requests(const struct trace *t, struct problem *p);
int trace_has_times(const struct trace *t);
int trace_takes_lengths(const struct trace *t); /* those of [workload] */
int trace_has_trees(const struct trace *t);     /* rows may be after others */
int trace_is_absolute(const struct trace *t); /* 1: time 0 is the run's start */
/* failed rows dropped since the rewind */
uint64_t trace_failed(const struct trace *t);
/* Returns how many resets of prefix caches a record of a server has, in
 * *reset. */
size_t trace_resets(const struct trace *t, const struct workload_reset **reset);
/* Returns 1 if the trace is a record of a server. */
int trace_is_record(const struct trace *t);
/* Returns an assumption of the reader that its user should know, or NULL. */
const char *trace_note(const struct trace *t);
void trace_free(struct trace *t);
