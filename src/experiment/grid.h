/* experiment/grid.h -- rows of texts under named columns: the lines of a CSV
 * file, a list of words, or the cross product of such lists.
 *
 * Zeroed is empty; a grid owns its texts.  All that fails here is memory,
 * where nothing else is said. */
#ifndef SC_EXPERIMENT_GRID_H
#define SC_EXPERIMENT_GRID_H
#include <stddef.h>
#include <stdio.h>
#include "base/problem.h"

struct grid {
	char **head, **cell; /* [n_cols], [n_rows * n_cols] */
	size_t n_cols, n_rows;
};

/* A CSV file into an empty grid.  origin names it in messages.  0, or -1 with
 * *p. */
int grid_read(struct grid *g, FILE *f, const char *origin, struct problem *p);
/* The words "a, b, c" as further rows of a grid of one column, which is called
 * name if the grid was empty.  0, or -1. */
int grid_words(struct grid *g, const char *name, const char *words);
/* One more column: every row there was, with each row of `with`, which has one
 * column; the rows that were there vary slowest.  0, or -1: *g is as before. */
int grid_cross(struct grid *g, const struct grid *with);
void grid_drop_row(struct grid *g, size_t row);
/* Where a column stands; -1: there is none. */
int grid_column(const struct grid *g, const char *name);
const char *grid_cell(const struct grid *g, size_t row, size_t column);
void grid_free(struct grid *g);
#endif
