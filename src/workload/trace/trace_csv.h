/* workload/trace/trace_csv.h -- rows of CSV traces. */
#pragma once
#include "workload/trace/trace_row.h"

struct trace;
struct problem;
/* Reads the next row.  Returns 1, 0 at the end, or -1 with t->why set. */
int trace_csv_next(struct trace *t, struct trace_row *row);
/* Reads the header, and hands the first rows to the format's sample().  Returns
 * 0, or -1 with *p filled in if the header or the first row is wrong. */
int trace_csv_sample(struct trace *t, struct problem *p);
