/* workload/trace_csv.h -- rows of a trace that is CSV. */
#ifndef SC_WORKLOAD_TRACE_CSV_H
#define SC_WORKLOAD_TRACE_CSV_H
#include "workload/trace_row.h"

struct trace;
/* The next row of a CSV.  1, 0: the end, -1: t->why. */
int trace_csv_next(struct trace *t, struct trace_row *row);
#endif
