/* tables/table_csv.h -- a table as CSV.  Columns of known names hold counts,
 * measures or number formats (kind.h, dtype); of any other column the first row
 * says whether it holds words. */
#ifndef SC_TABLES_TABLE_CSV_H
#define SC_TABLES_TABLE_CSV_H
#include <stdio.h>
#include "base/problem.h"
#include "tables/table.h"

/* origin: path for messages; its last part names the op.  0, or -1 with
 * "origin:line: what" in *p (EXIT_INPUT), and nothing to free. */
int table_read(struct table *t, FILE *f, const char *origin, struct problem *p);
#endif
