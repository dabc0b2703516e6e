/* report/columns.h -- a table to read: a label a row, and groups of cells that
 * belong together.  Columns are as wide as their content.  Where the table is
 * wider than the lines may be, groups are stacked: the first group stands
 * beside some of the others, then beside the next ones; or each stands alone,
 * where not even two fit.
 * The caller frees it; memory that is short leaves cells out. */
#ifndef SC_REPORT_COLUMNS_H
#define SC_REPORT_COLUMNS_H
#include <stddef.h>
#include <stdio.h>

struct columns {
	size_t n_groups, per_group; /* cells                                 */
	char **cell; /* [rows][1 + n_groups · per_group], labels in front    */
	size_t n_rows, room;
};

/* Zeroed at first, but for n_groups and per_group.  A new row. */
__attribute__((format(printf, 2, 3))) void columns_row(struct columns *c,
						       const char *fmt, ...);
/* A cell of the last row; those that are not set are empty. */
__attribute__((format(printf, 4, 5))) void
columns_cell(struct columns *c, size_t group, size_t at, const char *fmt, ...);
/* Labels are flush left, cells flush right; no blanks at the ends of lines. */
void columns_write(const struct columns *c, FILE *f, size_t width);
void columns_free(struct columns *c);
#endif
