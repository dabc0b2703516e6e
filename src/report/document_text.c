/* document_text.c -- Writes a document for a terminal. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/paragraph.h"
#include "base/text.h"
#include "report/document.h"

struct writing {
	const struct document *d;
	unsigned in;
	FILE *f;
	size_t width;
	int is_bright;
	int last; /* kind of the part before, or one of these */
};
enum { AFTER_ANSWER = -1, AT_BEGINNING = -2 };

/* https://no-color.org: a variable that is set and not empty means no colour.
 */
static int is_bright(FILE *f)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
	return isatty(fileno(f)) && !(no && *no) && term &&
	       strcmp(term, "dumb") != 0;
}

static void bold(const struct writing *t, const char *text)
{
	fputs(t->is_bright ? "\033[1m" : "", t->f);
	paragraph_write(t->f, text, t->width, 2);
	fputs(t->is_bright ? "\033[0m" : "", t->f);
}

/* Writes lines; each is broken where it is too long. */
static void lines(const struct writing *t, const char *text)
{
	char *copy = strdup(text), *rest = copy, *line;
	while (rest && (line = strsep(&rest, "\n")) != NULL)
		if (*line)
			paragraph_write(t->f, line, t->width,
					strspn(line, " ") + 2);
	free(copy);
}

/* Names of facts that follow each other are padded alike. */
static int fact_width(const struct writing *t)
{
	size_t most = 0;
	for (size_t i = 0; i < t->d->n; i++)
		if (t->d->part[i].kind == DOCUMENT_FACT &&
		    strlen(t->d->part[i].name) > most)
			most = strlen(t->d->part[i].name);
	return (int)most;
}

static void fact(const struct writing *t, const struct document_part *x)
{
	int width = fact_width(t);
	paragraph_print(t->f, t->width, (size_t)width + 2, "%-*s  %s", width,
			x->name, x->text);
}

static int is_heading(int kind)
{
	return kind == DOCUMENT_HEADING || kind == DOCUMENT_SUBHEADING;
}

/* Returns 1 if a blank line comes before a part of this kind. */
static int is_apart(const struct writing *t, int kind)
{
	if (t->last == AT_BEGINNING || is_heading(t->last))
		return 0;
	return is_heading(kind) || kind == DOCUMENT_TABLE || kind != t->last;
}

static void write_part(struct writing *t, const struct document_part *x)
{
	int kind = (int)x->kind;
	if (is_apart(t, kind))
		fputc('\n', t->f);
	if (is_heading(kind))
		bold(t, x->text);
	else if (kind == DOCUMENT_FACT)
		fact(t, x);
	else if (kind == DOCUMENT_SENTENCE)
		lines(t, x->text);
	else
		columns_write(&x->table, t->f, t->width, t->is_bright);
	t->last = kind;
}

static void write_all(const struct document *d, unsigned in, FILE *f,
		      size_t width)
{
	struct writing t = {.d = d,
			    .in = in,
			    .f = f,
			    .width = width,
			    .is_bright = is_bright(f),
			    .last = d->answer.n ? AFTER_ANSWER : AT_BEGINNING};
	for (size_t i = 0; i < d->answer.n; i++)
		bold(&t, d->answer.item[i]);
	for (size_t i = 0; i < d->n; i++)
		if (document_shows(d, i, in))
			write_part(&t, &d->part[i]);
}

void document_text(const struct document *d, unsigned in, FILE *f)
{
	write_all(d, in, f, paragraph_width(f));
}

void document_remarks(const struct document *d, unsigned in, FILE *f)
{
	char *text, *line;
	size_t size;
	FILE *m = text_open(&text, &size);
	if (!m)
		return;
	write_all(d, in, m, PARAGRAPH_COLUMNS - 2);
	fclose(m);
	for (char *rest = text; (line = strsep(&rest, "\n")) && rest;)
		fprintf(f, ";%s%s\n", *line ? " " : "", line);
	free(text);
}
