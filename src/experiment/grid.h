/* experiment/grid.h -- rows of texts with named columns: the lines of a CSV
 * file, a list of words, or the cross product of such lists.
 *
 * Zeroed means empty; a grid owns its texts.  Functions fail only if memory is
 * out, unless they say otherwise. */
#pragma once
#include <stddef.h>
#include <stdio.h>
#include "base/problem.h"

struct grid {
	char **head, **cell; /* [n_cols], [n_rows * n_cols] */
	size_t n_cols, n_rows;
};

/* Reads a CSV file into an empty grid.  origin names it in messages.  Returns
 * 0, or -1 with *p filled in. */
int grid_read(struct grid *g, FILE *f, const char *origin, struct problem *p);
/* Adds the words "a, b, c" as rows to a grid of one column, which gets the name
 * if the grid was empty.  Returns 0 or -1. */
int grid_words(struct grid *g, const char *name, const char *words);
/* Adds a column: combines every row with each row of `with`, which has one
 * column; the old rows vary slowest.  Returns 0, or -1 with *g unchanged. */
int grid_cross(struct grid *g, const struct grid *with);
void grid_drop_row(struct grid *g, size_t row);
/* Returns the index of a column, or -1. */
int grid_column(const struct grid *g, const char *name);
const char *grid_cell(const struct grid *g, size_t row, size_t column);
void grid_free(struct grid *g);
