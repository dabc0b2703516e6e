/* base/csv.h -- CSV in and out: a file as rows of cells, a number as a cell.
 * The first line names the columns; every row has as many cells. */
#ifndef SC_BASE_CSV_H
#define SC_BASE_CSV_H
#include <stdint.h>
#include <stdio.h>
#include "base/problem.h"

/* Row 0 is the header.  The cells are gone after the call.  Returns NULL, or
 * what is wrong, which ends the reading. */
typedef const char *(*csv_row_fn)(void *user, uint64_t row, uint32_t n,
				  char *const *cell);
/* Returns 0, or -1 with "origin:line: what" (EXIT_INPUT) in *p; EXIT_USAGE
 * if f cannot be read.  A byte order mark is passed over. */
int csv_read(FILE *f, const char *origin, csv_row_fn on_row, void *user,
	     struct problem *p);
/* The same; *line is that of the row, also during on_row. */
int csv_read_lines(FILE *f, const char *origin, csv_row_fn on_row, void *user,
		   uint64_t *line, struct problem *p);
/* A cell of text, in quotes where it needs them.  One that a spreadsheet would
 * take for a formula begins with "'", which csv_read() takes away again; what a
 * terminal would obey is written as its code. */
void csv_text(FILE *f, const char *s);
/* The shortest text that reads back the same; nothing for NaN. */
void csv_number(FILE *f, double v);
#endif
