/* base/csv.h -- reads and writes CSV: a file as rows of cells, a number as a
 * cell.  The first line names the columns; every row has the same number of
 * cells. */
#pragma once
#include <stdint.h>
#include <stdio.h>
#include "base/problem.h"

struct csv_parser;
/* Returns why libcsv stopped. */
const char *csv_fault(struct csv_parser *csv);
/* Receives a row.  Row 0 is the header.  The cells are valid during the call.
 * Returns NULL, or what is wrong, which ends the reading. */
typedef const char *(*csv_row_fn)(void *user, uint64_t row, uint32_t n,
				  char *const *cell);
/* Reads a file row by row; skips a byte order mark.  Returns 0, or -1 with
 * "origin:line: what" in *p: EXIT_INPUT, or EXIT_USAGE if f cannot be read. */
int csv_read(FILE *f, const char *origin, csv_row_fn on_row, void *user,
	     struct problem *p);
/* The same; *line is the line of the row, also during on_row. */
int csv_read_lines(FILE *f, const char *origin, csv_row_fn on_row, void *user,
		   uint64_t *line, struct problem *p);
/* Writes a cell of text, quoted if necessary.  A text that a spreadsheet would
 * take for a formula gets a "'" in front, which csv_read() removes again.
 * Tabs and ends of lines stay, in quotes; other characters that control a
 * terminal are written as their code. */
void csv_text(FILE *f, const char *s);
/* Writes the shortest text that reads back as the same number; nothing for
 * NaN. */
void csv_number(FILE *f, double v);
/* The same with a comma before the cell. */
void csv_next_text(FILE *f, const char *s);
void csv_next_number(FILE *f, double v);
