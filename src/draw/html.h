/* draw/html.h -- one self-contained page: headings, text, tables and figures;
 * no script, no network, readable in light, dark and on paper.
 *
 * Writes to the FILE it is given, in order; the caller owns it and checks it.
 * Knows JSON values (jansson) and nothing of what they mean. */
#ifndef SC_DRAW_HTML_H
#define SC_DRAW_HTML_H
#include <jansson.h>
#include <stdio.h>

void html_begin(FILE *f, const char *title);
void html_end(FILE *f);
/* An <h2>, linked from nowhere; id for links to it, or NULL. */
void html_heading(FILE *f, const char *text, const char *id);
/* An <h3>. */
void html_subheading(FILE *f, const char *text);
void html_paragraph(FILE *f, const char *text);
/* Text with its lines as they are. */
void html_pre(FILE *f, const char *text);
/* A list of names and what is said of each. */
void html_facts(FILE *f, const char *const *name, const char *const *text,
		size_t n);
/* What a reader is to take away, before all numbers: sentences. */
void html_verdicts_begin(FILE *f);
void html_verdict(FILE *f, const char *text);
void html_verdicts_end(FILE *f);
/* What stands between them stands side by side where there is room. */
void html_row_begin(FILE *f);
void html_row_end(FILE *f);
/* Rows of n_columns cells, row by row; the first column names the row.  A cell
 * that is NULL is empty.  On a narrow screen each row becomes a block, and
 * cells are named by the columns. */
void html_table(FILE *f, const char *const *column, size_t n_columns,
		const char *const *cell, size_t n_rows);
/* Any JSON value: an object as a table of keys and values, an array of alike
 * objects as a table with a row each, numbers as stepcost writes them. */
void html_json(FILE *f, const json_t *value);
/* Whatever is written between is folded behind a summary. */
void html_fold_begin(FILE *f, const char *summary, int open);
void html_fold_end(FILE *f);
#endif
