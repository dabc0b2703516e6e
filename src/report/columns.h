/* report/columns.h -- a table for a reader: one label per row, and groups of
 * cells that belong together.  A column is as wide as its content.  A table
 * that is wider than the lines may be is cut into parts, one below the other:
 * each part shows the first group and as many of the other groups as fit.
 * Where not even two groups fit side by side, each group is a part of its own.
 *
 * The caller frees the table.  If memory is out, cells stay empty. */
#ifndef SC_REPORT_COLUMNS_H
#define SC_REPORT_COLUMNS_H
#include <stddef.h>
#include <stdio.h>

struct columns {
	size_t n_groups, per_group; /* per_group: cells */
	char **cell; /* [rows][1 + n_groups · per_group], the label first */
	size_t n_rows, room;
};

/* Adds a row with this label.  Before the first row, the table is zero except
 * n_groups and per_group. */
__attribute__((format(printf, 2, 3))) void columns_row(struct columns *c,
						       const char *fmt, ...);
/* Sets a cell of the last row.  A cell without text is empty. */
__attribute__((format(printf, 4, 5))) void
columns_cell(struct columns *c, size_t group, size_t at, const char *fmt, ...);
/* Writes labels flush left and cells flush right, without blanks at the ends of
 * lines.  width: the columns of a line. */
void columns_write(const struct columns *c, FILE *f, size_t width);
void columns_free(struct columns *c);
#endif
