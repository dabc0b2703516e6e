/* report/document.h -- a result as data: a question and its answer in
 * sentences, then headings, sentences, facts, tables and figures.  A command
 * builds one document; document_text() and document_html() write it, so that
 * text and page have the same figures.  A test asks the document
 * (t/lib/document_asked.h).
 *
 * Each part says where it is shown (IN_...): a part takes `in` as it is when
 * the part is added.  The document owns its parts; the names of arms are the
 * caller's.  If memory is out, `failed` is set, and writing fails.
 * [one thread] */
#pragma once
#include <stdio.h>
#include "base/names.h"
#include "base/problem.h"
#include "draw/dots.h"
#include "draw/figure.h"
#include "draw/heatmap.h"
#include "report/columns.h"

enum {
	IN_SHORT = 1, /* the text that a command prints by default */
	IN_FULL = 2,  /* the text of --all */
	IN_PAGE = 4,
	IN_TEXT = IN_SHORT | IN_FULL,
	IN_DETAILS = IN_FULL | IN_PAGE,
	IN_ALL = IN_TEXT | IN_PAGE
};

enum document_kind {
	DOCUMENT_HEADING,
	DOCUMENT_SUBHEADING,
	DOCUMENT_SENTENCE, /* a paragraph: one sentence or a few */
	DOCUMENT_FACT,     /* a name and a text about it */
	DOCUMENT_TABLE,
	DOCUMENT_FIGURE, /* HTML and SVG; a text leaves it out */
	DOCUMENT_TILE,   /* a figure; several stand side by side */
	/* A name and lines that stay as they are; a page folds them behind the
	 * name, and a text leaves them out. */
	DOCUMENT_FOLDED,
};
struct document_part {
	enum document_kind kind;
	unsigned in; /* IN_...: where it is shown */
	char *text;
	const char *name; /* of a fact, and of folded lines */
	struct columns table;
};
struct document {
	const char *title;   /* of the page: "Capacity" */
	char *question;      /* NULL: none */
	const char *command; /* that gave the answer; NULL: not known */
	struct names answer; /* sentences; the first is the headline */
	struct names arms;   /* names with a colour, in this order */
	unsigned in;         /* IN_... for the parts that are added next */
	struct document_part *part;
	size_t n, cap;
	int failed;
	FILE *writing; /* between document_write() and document_written() */
	char *written;
	size_t size;
};

/* Set the question, add a sentence to the answer, and add parts to the
 * document. */
__attribute__((format(printf, 2, 3))) void document_ask(struct document *d,
							const char *fmt, ...);
__attribute__((format(printf, 2, 3))) void
document_answer(struct document *d, const char *fmt, ...);
__attribute__((format(printf, 2, 3))) void
document_heading(struct document *d, const char *fmt, ...);
__attribute__((format(printf, 2, 3))) void
document_subheading(struct document *d, const char *fmt, ...);
__attribute__((format(printf, 2, 3))) void document_say(struct document *d,
							const char *fmt, ...);
/* Adds a part with this text, which the document frees; a blank text adds
 * nothing.  A text of NULL counts as memory that is out.  name: the name of a
 * fact or of folded lines, which outlives the document; NULL for other parts.
 */
void document_own(struct document *d, enum document_kind kind, const char *name,
		  char *text);
/* Returns a file for the text of one more part, or NULL if memory is out.
 * document_written() closes it and adds the part. */
FILE *document_write(struct document *d);
void document_written(struct document *d, enum document_kind kind);
/* The same, but adds a sentence to the answer. */
void document_answered(struct document *d);
/* Moves a table into the document, and leaves *c empty.  A table that has only
 * its head is left out. */
void document_table(struct document *d, struct columns *c);

/* Draws a figure.  Dots are a tile. */
void document_figure(struct document *d, enum document_kind kind,
		     const struct figure *figure);
void document_heatmap(struct document *d, const struct heatmap *h);
void document_dots(struct document *d, const struct dots *dots);

/* Returns 1 if part i is shown in `in`: a heading only if something other than
 * a heading follows it. */
int document_shows(const struct document *d, size_t i, unsigned in);
/* Writes the parts that are shown in `in`: the answer first.  Bold where f is a
 * terminal, unless NO_COLOR is set.  A line has at most paragraph_width()
 * columns. */
void document_text(const struct document *d, unsigned in, FILE *f);
/* The same as remarks of an INI: each line begins with a semicolon. */
void document_remarks(const struct document *d, unsigned in, FILE *f);
/* Writes the page.  Returns 0, or -1 with *p filled in. */
int document_html(const struct document *d, FILE *f, struct problem *p);
void document_free(struct document *d);
