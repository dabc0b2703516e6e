/* workload/trace_csv.h -- rows of CSV traces. */
#ifndef SC_WORKLOAD_TRACE_CSV_H
#define SC_WORKLOAD_TRACE_CSV_H
#include "workload/trace_row.h"

struct trace;
/* Reads the next row.  Returns 1, 0 at the end, or -1 with t->why set. */
int trace_csv_next(struct trace *t, struct trace_row *row);
#endif
