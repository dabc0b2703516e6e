/* document_html.c -- Writes a document as a page. */
#include <stdlib.h>
#include <string.h>
#include "draw/html.h"
#include "report/identity.h"
#include "report/document.h"
#include "report/titles.h"

/* Returns the text that a page shows; the caller frees it.  NULL: the cell is
 * empty. */
static char *shown_text(const struct cell *x)
{
	char title[TITLE_SIZE], name[TITLE_SIZE];
	if (!x->text)
		return NULL;
	if (x->kind != CELL_METRIC)
		return strdup(x->text);
	snprintf(name, sizeof name, "%.*s", (int)strcspn(x->text, " "),
		 x->text);
	return strdup(title_of(title, name));
}

/* Puts the lines of a cell of the head together: a page breaks lines itself. */
static void join_lines(char *text)
{
	char *to = text;
	for (; text && *text; text++)
		if (*text != '\n')
			*to++ = *text;
	if (text)
		*to = '\0';
}

/* Leaves out columns without a cell, and a table that has only its head. */
static void columns_html(const struct columns *c, const struct html_arms *arms,
			 const char *caption, FILE *f)
{
	size_t n = columns_width(c), shown = 0, used = 0;
	struct html_column *column = calloc(n, sizeof *column);
	char **cell = calloc(n * c->n_rows + 1, sizeof *cell);
	for (size_t i = 0; column && i < n; i++)
		if (i == 0 || columns_has(c, i))
			column[shown++].is_words = columns_is_words(c, i);
	for (size_t r = 0; cell && r < c->n_rows; r++)
		for (size_t i = 0; i < n; i++)
			if (i == 0 || columns_has(c, i))
				cell[used++] = shown_text(&columns_at(c, r)[i]);
	for (size_t i = 0; column && i < shown && i < used; i++) {
		join_lines(cell[i]);
		column[i].name = cell[i];
	}
	if (column && used && c->n_rows > 1)
		html_table(f, arms, caption, column, shown,
			   (const char *const *)cell + shown, c->n_rows - 1);
	for (size_t i = 0; i < used; i++)
		free(cell[i]);
	free(cell);
	free(column);
}

/* Writes facts that follow each other as one list.  Returns the last. */
static size_t facts(const struct document *d, size_t first, FILE *f)
{
	size_t i = first;
	html_facts_begin(f);
	for (; i < d->n && d->part[i].kind == DOCUMENT_FACT; i++)
		if (d->part[i].in & IN_PAGE)
			html_fact(f, d->part[i].name, d->part[i].text);
	html_facts_end(f);
	return i - 1;
}

/* Writes tiles that follow each other side by side.  Returns the last. */
static size_t tiles(const struct document *d, size_t first, FILE *f)
{
	size_t i = first;
	while (i < d->n && d->part[i].kind == DOCUMENT_TILE)
		i++;
	if (i > first + 1)
		html_row_begin(f);
	for (size_t k = first; k < i; k++)
		fputs(d->part[k].text, f);
	if (i > first + 1)
		html_row_end(f);
	return i - 1;
}

/* Writes each line of a text as a paragraph. */
static void paragraphs(const char *text, FILE *f)
{
	char *copy = strdup(text), *rest = copy, *line;
	while (rest && (line = strsep(&rest, "\n")) != NULL)
		if (*line)
			html_paragraph(f, line);
	free(copy);
}

static void folded(const struct document_part *x, FILE *f)
{
	html_fold_begin(f, x->name, 0);
	html_pre(f, x->text);
	html_fold_end(f);
}

/* Writes all parts that a page shows. */
static void body(const struct document *d, FILE *f)
{
	const struct html_arms arms = {d->arms.item, d->arms.n};
	const char *heading = d->question ? d->question : d->title;
	for (size_t i = 0; i < d->n; i++) {
		const struct document_part *x = &d->part[i];
		if (!document_shows(d, i, IN_PAGE))
			continue;
		if (x->kind == DOCUMENT_HEADING ||
		    x->kind == DOCUMENT_SUBHEADING)
			heading = x->text;
		if (x->kind == DOCUMENT_HEADING)
			html_heading(f, x->text);
		else if (x->kind == DOCUMENT_SUBHEADING)
			html_subheading(f, x->text);
		else if (x->kind == DOCUMENT_SENTENCE)
			paragraphs(x->text, f);
		else if (x->kind == DOCUMENT_FIGURE)
			fputs(x->text, f);
		else if (x->kind == DOCUMENT_TILE)
			i = tiles(d, i, f);
		else if (x->kind == DOCUMENT_FOLDED)
			folded(x, f);
		else if (x->kind == DOCUMENT_TABLE)
			columns_html(&x->table, &arms, heading, f);
		else
			i = facts(d, i, f);
	}
}

int document_html(const struct document *d, FILE *f, struct problem *p)
{
	struct html_page page = {0};
	const struct html_head head = {d->title, d->question, d->command,
				       d->answer.item, d->answer.n};
	int rc = d->failed || html_page_begin(&page) < 0;
	if (rc == 0) {
		body(d, page.f);
		identity_foot(page.f);
	}
	if (html_page_end(&page, f, &head) < 0 || rc)
		return problem_no_memory(p);
	return 0;
}
