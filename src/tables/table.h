/* tables/table.h -- one measured table: columns of numbers or strings, all of
 * the same length.  set.h says what a table may contain. */
#pragma once
#include "stepcost/plugin.h"

struct table {
	sc_table view; /* what plugins see; points into this struct */
	char *origin, *op;
	char **head;
	double **col;
	char ***text; /* points into `word` */
	char **word;  /* [n_words] */
	size_t n_words, cap_words;
	uint64_t *line; /* line of the file for each row */
	uint64_t cap;   /* rows that fit */
	int headless;   /* 1: the file has no header */
};

/* One cell of a row. */
struct table_cell {
	const char *words; /* NULL: it is a number */
	double number;
};
/* Sets the columns of a zeroed table.  Returns NULL, or what is wrong. */
const char *table_set_columns(struct table *t, uint32_t n,
			      const char *const *name);
/* Appends a row, cell[n_cols]; line: its line in the file.  Columns hold
 * strings if the first row has a string there; equal strings are kept once.
 * Returns 0, or -1 if memory is out. */
int table_append(struct table *t, uint64_t line, const struct table_cell *cell);
/* Makes the table visible to plugins.  Call it after the last row, with t->op
 * and t->origin set. */
void table_show(struct table *t);
/* Returns the index of a column, or -1. */
int table_column(const struct table *t, const char *name);
void table_free(struct table *t);
