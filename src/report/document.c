/* document.c -- Collects the parts of a document. */
#include "report/document.h"
#include <stdarg.h>
#include <stdlib.h>
#include "base/grow.h"
#include "base/text.h"
#include "draw/svg.h"

static struct document_part *add(struct document *d, enum document_kind kind)
{
	if (!MAKE_ROOM(d->part, d->n, d->cap)) {
		d->failed = 1;
		return NULL;
	}
	struct document_part *x = &d->part[d->n++];
	*x = (struct document_part){.kind = kind, .in = d->in};
	return x;
}

void document_own(struct document *d, enum document_kind kind, const char *name,
		  char *text)
{
	struct document_part *x = text && *text ? add(d, kind) : NULL;
	d->failed |= !text;
	if (!x) {
		free(text);
		return;
	}
	x->text = text;
	x->name = name;
}

__attribute__((format(printf, 2, 0))) static char *
formatted(struct document *d, const char *fmt, va_list ap)
{
	char *text;
	if (vasprintf(&text, fmt, ap) >= 0)
		return text;
	d->failed = 1;
	return NULL;
}

void document_ask(struct document *d, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	free(d->question);
	d->question = formatted(d, fmt, ap);
	va_end(ap);
}

void document_answer(struct document *d, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	char *text = formatted(d, fmt, ap);
	va_end(ap);
	if (text && *text && names_add(&d->answer, text) < 0)
		d->failed = 1;
	free(text);
}

void document_heading(struct document *d, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	document_own(d, DOCUMENT_HEADING, NULL, formatted(d, fmt, ap));
	va_end(ap);
}

void document_subheading(struct document *d, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	document_own(d, DOCUMENT_SUBHEADING, NULL, formatted(d, fmt, ap));
	va_end(ap);
}

void document_say(struct document *d, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	document_own(d, DOCUMENT_SENTENCE, NULL, formatted(d, fmt, ap));
	va_end(ap);
}

FILE *document_write(struct document *d)
{
	d->written = NULL;
	d->writing = text_open(&d->written, &d->size);
	d->failed |= !d->writing;
	return d->writing;
}

void document_written(struct document *d, enum document_kind kind)
{
	if (!d->writing)
		return;
	fclose(d->writing);
	d->writing = NULL;
	document_own(d, kind, NULL, d->written);
}

void document_answered(struct document *d)
{
	if (!d->writing)
		return;
	fclose(d->writing);
	d->writing = NULL;
	document_answer(d, "%s", d->written);
	free(d->written);
}

void document_table(struct document *d, struct columns *c)
{
	d->failed |= c->failed;
	struct document_part *x = c->n_rows > 1 ? add(d, DOCUMENT_TABLE) : NULL;
	if (x) {
		x->table = *c;
		*c = (struct columns){0};
	}
	columns_free(c);
}

void document_figure(struct document *d, enum document_kind kind,
		     const struct figure *figure)
{
	FILE *f = document_write(d);
	if (f)
		svg_figure(f, figure);
	document_written(d, kind);
}

void document_heatmap(struct document *d, const struct heatmap *h)
{
	FILE *f = document_write(d);
	if (f)
		heatmap_svg(f, h);
	document_written(d, DOCUMENT_FIGURE);
}

void document_dots(struct document *d, const struct dots *dots)
{
	FILE *f = document_write(d);
	if (f)
		dots_html(f, dots);
	document_written(d, DOCUMENT_TILE);
}

int document_shows(const struct document *d, size_t i, unsigned in)
{
	enum document_kind kind = d->part[i].kind;
	int is_of_pages = kind == DOCUMENT_FIGURE || kind == DOCUMENT_TILE ||
			  kind == DOCUMENT_FOLDED;
	if (!(d->part[i].in & in) || (is_of_pages && !(in & IN_PAGE)))
		return 0;
	if (kind != DOCUMENT_HEADING)
		return 1;
	for (i++; i < d->n && d->part[i].kind != DOCUMENT_HEADING; i++)
		if (document_shows(d, i, in))
			return 1;
	return 0;
}

void document_free(struct document *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->part[i].text);
		columns_free(&d->part[i].table);
	}
	free(d->part);
	free(d->question);
	names_free(&d->answer);
	names_free(&d->arms);
	*d = (struct document){0};
}
