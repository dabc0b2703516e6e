/* workload/record/trace_record.h -- the record of a live server: JSON lines of
 * the project's own format behind a first line with "stepcost_trace".  Between
 * requests it has lines that say when a client gave up, and when prefix caches
 * were emptied; they are read when the trace is opened.  A last line that was
 * cut short is left out. */
#pragma once
#include "workload/trace/trace_reader_private.h"

/* Reads these lines, if the trace is a record.  Returns 0, or -1 with *p
 * filled in; the caller rewinds it. */
int trace_record_read(struct trace *t, struct problem *p);
/* Sets when the client of the row gives up; t->why: what is wrong. */
void trace_record_cancel(struct trace *t, struct trace_row *row);
