/* draw/html.h -- one self-contained page: headings, text, tables and figures.
 * It has no script, needs no network, and is readable in light, dark and on
 * paper.
 *
 * Each function writes to the FILE it gets, in order; the caller owns the FILE
 * and checks it.  Knows JSON values (jansson) but not their meaning. */
#pragma once
#include <jansson.h>
#include <stdio.h>

/* A page under way: its body, which is written to f. */
struct html_page {
	FILE *f;
	char *text;
	size_t size;
};
/* Returns 0, or -1 if memory is out. */
int html_page_begin(struct html_page *p);
/* What a page begins with. */
struct html_head {
	const char *title;
	const char *question, *command; /* NULL: none */
	const char *const *answer;      /* sentences, the headline first */
	size_t n_answers;
};
/* Writes the whole page: its head, a list of the headings, the body.  Frees *p.
 * Returns 0, or -1 if memory is out. */
int html_page_end(struct html_page *p, FILE *to, const struct html_head *head);
/* Writes an <h2>, which the contents list. */
void html_heading(FILE *f, const char *text);
/* Writes an <h3>. */
void html_subheading(FILE *f, const char *text);
void html_paragraph(FILE *f, const char *text);
/* Writes a text and keeps its lines. */
void html_pre(FILE *f, const char *text);
/* A list of names, each with a text about it. */
void html_facts_begin(FILE *f);
void html_fact(FILE *f, const char *name, const char *text);
void html_facts_end(FILE *f);
/* Everything between these two stands side by side if there is room. */
void html_row_begin(FILE *f);
void html_row_end(FILE *f);
/* Names that have a colour on the page, the first in slot 0. */
struct html_arms {
	const char *const *name;
	size_t n;
};
struct html_column {
	const char *name;
	int is_words; /* 1: words, flush left; else numbers */
};
/* Writes cells of n_columns per row, row by row; the first column names the
 * row.  label: what the table is, for those who cannot see it; NULL: none.  A
 * cell that is NULL is empty.  A header that is the name of an arm has its
 * colour.  On a narrow screen each row becomes a block, and its cells show the
 * names of their columns. */
void html_table(FILE *f, const struct html_arms *arms, const char *label,
		const struct html_column *column, size_t n_columns,
		const char *const *cell, size_t n_rows);
/* Writes any JSON value: an object as a table of keys and values, an array of
 * objects with the same keys as a table with a row each, numbers as stepcost
 * writes them. */
void html_json(FILE *f, const json_t *value);
/* Everything between these two is folded behind a summary. */
void html_fold_begin(FILE *f, const char *summary, int open);
void html_fold_end(FILE *f);
