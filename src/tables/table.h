/* tables/table.h -- one measured table: columns of numbers or of words, as many
 * rows of each.  set.h says what stands in one. */
#ifndef SC_TABLES_TABLE_H
#define SC_TABLES_TABLE_H
#include "stepcost/plugin.h"

struct table {
	sc_table view; /* what plugins see; points into this struct */
	char *origin, *op;
	char **head;
	double **col;
	char ***text; /* into `word` */
	char **word;  /* [n_words] */
	size_t n_words, cap_words;
	uint64_t *line; /* of the file, of each row */
	uint64_t cap;   /* rows there is room for */
	int headless;   /* the file has no header */
};

/* One cell of a row. */
struct table_cell {
	const char *words; /* NULL: a number */
	double number;
};
/* Of a zeroed table: its columns.  NULL, or what is wrong. */
const char *table_set_columns(struct table *t, uint32_t n,
			      const char *const *name);
/* A row, cell[n_cols]; line: of the file.  Words stand in the columns that had
 * words in the first row; words that repeat are kept once.  0, or -1: out of
 * memory. */
int table_append(struct table *t, uint64_t line, const struct table_cell *cell);
/* Lets plugins see the table: after its last row, with t->op and t->origin. */
void table_show(struct table *t);
/* The index of a column, -1: there is none. */
int table_column(const struct table *t, const char *name);
void table_free(struct table *t);
#endif
