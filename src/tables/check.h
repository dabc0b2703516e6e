/* tables/check.h -- what is suspicious about a measured table: an MFU column
 * and the peak it was taken from, zeros that are rounding, holes in the grid,
 * warm-up, times that fall as work grows, rows given twice, mixed formats. */
#ifndef SC_TABLES_CHECK_H
#define SC_TABLES_CHECK_H
#include "base/ini.h"
#include "tables/checked_table.h"

/* Looks at one file.  of: as its set has it; NULL: it is of none.  manifest: of
 * its set, for the peaks it was measured against; NULL: it has none.  0, or -1
 * with *p (EXIT_USAGE: no such file; EXIT_INPUT). */
int tables_check_file(const char *path, const struct table_file *of,
		      const struct ini *manifest, finding_fn tell, void *user,
		      struct problem *p);
#endif
