/* tables/table_csv.h -- a table as CSV.  Columns of known names hold counts,
 * measures, words or number formats (cost/kernel_op.h); of any other column the
 * first row says whether it holds words.  A number format is presented by the
 * first of its names.
 *
 * A table may be written wide.  Its last columns are then called AXIS=VALUE and
 * hold the latency_us at that value of the axis, a cell without one was not
 * measured:
 *   dtype,n,k,m=1,m=8,m=16          is     dtype,n,k,m,latency_us
 *   bf16,256,1024,3.1,,3.2                 bf16,256,1024,1,3.1
 *                                          bf16,256,1024,16,3.2 */
#ifndef SC_TABLES_TABLE_CSV_H
#define SC_TABLES_TABLE_CSV_H
#include <stdio.h>
#include "base/problem.h"
#include "tables/table.h"

/* Returned for a table with a number format that is not known here: another
 * version may know it, and nothing else is wrong. */
#define TABLE_FOREIGN (-2)

/* origin: path for messages; its last part names the op.  columns: up to NULL,
 * of a file whose first line is a row already; NULL: the first line names them.
 * 0, or below it with "origin:line: what" in *p (EXIT_INPUT), and nothing to
 * free. */
int table_read(struct table *t, FILE *f, const char *origin,
	       const char *const *columns, struct problem *p);
#endif
