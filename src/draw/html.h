/* draw/html.h -- one self-contained page: headings, text, tables and figures.
 * It has no script, needs no network, and is readable in light, dark and on
 * paper.
 *
 * Each function writes to the FILE it gets, in order; the caller owns the FILE
 * and checks it.  Knows JSON values (jansson) but not their meaning. */
#ifndef SC_DRAW_HTML_H
#define SC_DRAW_HTML_H
#include <jansson.h>
#include <stdio.h>

void html_begin(FILE *f, const char *title);
void html_end(FILE *f);
/* Writes an <h2>.  id: the target of links to it, or NULL. */
void html_heading(FILE *f, const char *text, const char *id);
/* Writes an <h3>. */
void html_subheading(FILE *f, const char *text);
void html_paragraph(FILE *f, const char *text);
/* Writes a text and keeps its lines. */
void html_pre(FILE *f, const char *text);
/* Writes a list of names, each with a text about it. */
void html_facts(FILE *f, const char *const *name, const char *const *text,
		size_t n);
/* The conclusions of a page, which come before all numbers: sentences. */
void html_verdicts_begin(FILE *f);
void html_verdict(FILE *f, const char *text);
void html_verdicts_end(FILE *f);
/* Everything between these two stands side by side if there is room. */
void html_row_begin(FILE *f);
void html_row_end(FILE *f);
/* Writes cells of n_columns per row, row by row; the first column names the
 * row.  A cell that is NULL is empty.  On a narrow screen each row becomes a
 * block, and its cells show the names of their columns. */
void html_table(FILE *f, const char *const *column, size_t n_columns,
		const char *const *cell, size_t n_rows);
/* Writes any JSON value: an object as a table of keys and values, an array of
 * objects with the same keys as a table with a row each, numbers as stepcost
 * writes them. */
void html_json(FILE *f, const json_t *value);
/* Everything between these two is folded behind a summary. */
void html_fold_begin(FILE *f, const char *summary, int open);
void html_fold_end(FILE *f);
#endif
