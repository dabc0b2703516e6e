/* tables/table_csv.h -- reads a table from CSV.  Columns with known names hold
 * counts, measures, strings or number formats (cost/kernel_op.h); for other
 * columns the first row decides whether they hold strings.  A number format
 * gets its first name.
 *
 * A table may be written wide: its last columns are then named AXIS=VALUE and
 * hold the latency_us at that value of the axis; an empty cell was not
 * measured:
 *   dtype,n,k,m=1,m=8,m=16          is     dtype,n,k,m,latency_us
 *   bf16,256,1024,3.1,,3.2                 bf16,256,1024,1,3.1
 *                                          bf16,256,1024,16,3.2
 */
#pragma once
#include <stdio.h>
#include "base/problem.h"
#include "tables/table.h"

/* Returned for a table with an unknown number format; another version may know
 * it, and nothing else is wrong. */
#define TABLE_FOREIGN (-2)

/* origin: path for messages; its last part is the op.  columns: names for a
 * file that begins with its first row, ending with NULL; NULL: the first line
 * names the columns.  Returns 0, or below 0 with "origin:line: what" in *p
 * (EXIT_INPUT) and nothing to free. */
int table_read(struct table *t, FILE *f, const char *origin,
	       const char *const *columns, struct problem *p);
