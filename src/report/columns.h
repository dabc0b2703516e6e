/* report/columns.h -- a table for a reader: one label per row, and groups of
 * cells that belong together.  The first row is the head.  A column is as wide
 * as its content.  A table that is wider than the lines may be is cut into
 * parts, one below the other, between groups or within the only one; words in
 * the last column are broken into lines first.  A column without a cell below
 * its head is left out.  A cell of the head may have several lines, which end
 * beside the first row.
 *
 * The caller frees the table.  If memory is out, cells stay empty, `failed` is
 * set, and the machine's failure is noted. */
#pragma once
#include <stddef.h>
#include <stdio.h>

enum cell_kind {
	CELL_FIGURE, /* flush right */
	CELL_WORDS,  /* flush left */
	/* The name of a metric, "mean_ttft_ms", which options have; a page
	 * shows its title (report/titles.h). */
	CELL_METRIC,
	/* Words in place of a whole row of cells: they run over the columns to
	 * the right, and make none wider. */
	CELL_REMARK,
};
struct cell {
	char *text;   /* NULL: empty */
	double value; /* NaN, unless columns_value() said it */
	enum cell_kind kind;
};
struct columns {
	size_t n_groups, per_group; /* per_group: cells */
	/* 1: the parts do not repeat the first group, because no other group is
	 * compared with it. */
	int is_plain;
	/* In a table with one group: how many cells after the label each part
	 * repeats, because they say what a row is about. */
	size_t n_repeated;
	int are_labels_right; /* 1: labels are flush right, as numbers are */
	struct cell *cell; /* [rows][1 + n_groups · per_group], the label first
			    */
	size_t n_rows, cap;
	int failed;
};

/* Returns a table of one group that has its head: this label, then n cells. */
__attribute__((format(printf, 3, 4))) struct columns
columns_begin(const char *const *head, size_t n, const char *fmt, ...);
/* Adds a row with this label.  Before the first row, the table is zero except
 * n_groups, per_group, is_plain, n_repeated and are_labels_right. */
__attribute__((format(printf, 2, 3))) void columns_row(struct columns *c,
						       const char *fmt, ...);
/* The same; the label is the name of a metric, and its unit. */
void columns_metric(struct columns *c, const char *name, const char *unit);
/* Sets a cell of the last row.  A cell without text is empty. */
__attribute__((format(printf, 4, 5))) void
columns_cell(struct columns *c, size_t group, size_t at, const char *fmt, ...);
/* The same for words, which are flush left. */
__attribute__((format(printf, 4, 5))) void
columns_words(struct columns *c, size_t group, size_t at, const char *fmt, ...);
/* The same for words that run over the empty cells to the right. */
__attribute__((format(printf, 4, 5))) void columns_remark(struct columns *c,
							  size_t group,
							  size_t at,
							  const char *fmt, ...);
/* The same for the name of a metric. */
void columns_metric_cell(struct columns *c, size_t group, size_t at,
			 const char *name);
/* The same for a number, or "-" if it is not finite, and a text after it. */
void columns_number(struct columns *c, size_t group, size_t at, double value,
		    int decimals, const char *behind);
/* Says the number that a cell of the last row shows. */
void columns_value(struct columns *c, size_t group, size_t at, double value);

/* Returns the cells of a row, the label first. */
const struct cell *columns_at(const struct columns *c, size_t row);
/* Returns how many cells a row has. */
size_t columns_width(const struct columns *c);
/* Returns 1 if a row below the head has a cell in this column. */
int columns_has(const struct columns *c, size_t column);
/* Returns 1 if a row below the head has words in this column. */
int columns_is_words(const struct columns *c, size_t column);

/* Writes labels and words flush left and other cells flush right, without
 * blanks at the ends of lines.  width: the columns of a line.  is_bright: the
 * head is bold on the terminal. */
void columns_write(const struct columns *c, FILE *f, size_t width,
		   int is_bright);
void columns_free(struct columns *c);
