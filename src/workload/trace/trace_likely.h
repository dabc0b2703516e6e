/* workload/trace/trace_likely.h -- the likely meaning of the columns of a CSV
 * file, from their names, for messages about files of an unknown format. */
#pragma once
#include "base/names.h"
#include "workload/trace/trace_columns.h"

/* Fills in a role if one name fits it better than all others; leaves the others
 * empty. */
void trace_likely(struct trace_columns *c, const struct names *header);
