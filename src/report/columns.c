/* columns.c -- Lays out a table so that it fits the width of the terminal. */
#include <config.h>
#include "report/columns.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "base/paragraph.h"

enum { GAP = 2 };

static size_t row_cells(const struct columns *c)
{
	return 1 + c->n_groups * c->per_group;
}

static const char *cell_at(const struct columns *c, size_t row, size_t at)
{
	const char *text = c->cell[row * row_cells(c) + at];
	return text ? text : "";
}

/* ---- filling ---- */

__attribute__((format(printf, 3, 0))) static void
set(struct columns *c, size_t at, const char *fmt, va_list ap)
{
	char *text;
	if (!c->n_rows)
		return;
	char **to = &c->cell[(c->n_rows - 1) * row_cells(c) + at];
	if (vasprintf(&text, fmt, ap) < 0)
		return;
	free(*to);
	*to = text;
}

static int add_row(struct columns *c)
{
	size_t n = row_cells(c);
	if (c->n_rows == c->room) {
		size_t room = c->room ? 2 * c->room : 32;
		char **more = realloc(c->cell, room * n * sizeof *more);
		if (!more)
			return -1;
		c->cell = more;
		c->room = room;
	}
	memset(c->cell + c->n_rows++ * n, 0, n * sizeof *c->cell);
	return 0;
}

void columns_row(struct columns *c, const char *fmt, ...)
{
	va_list ap;
	if (add_row(c) < 0)
		return;
	va_start(ap, fmt);
	set(c, 0, fmt, ap);
	va_end(ap);
}

void columns_cell(struct columns *c, size_t group, size_t at, const char *fmt,
		  ...)
{
	va_list ap;
	va_start(ap, fmt);
	set(c, 1 + group * c->per_group + at, fmt, ap);
	va_end(ap);
}

void columns_free(struct columns *c)
{
	for (size_t i = 0; i < c->n_rows * row_cells(c); i++)
		free(c->cell[i]);
	free(c->cell);
	*c = (struct columns){0};
}

/* ---- writing ---- */

static size_t column_width(const struct columns *c, size_t at)
{
	size_t most = 0;
	for (size_t i = 0; i < c->n_rows; i++) {
		size_t n = paragraph_columns(cell_at(c, i, at));
		most = n > most ? n : most;
	}
	return most;
}

/* An empty column takes no room. */
static size_t group_width(const struct columns *c, size_t group)
{
	size_t sum = 0;
	for (size_t k = 0; k < c->per_group; k++) {
		size_t n = column_width(c, 1 + group * c->per_group + k);
		sum += n ? n + GAP : 0;
	}
	return sum;
}

static void write_group(const struct columns *c, size_t row, size_t group,
			size_t *blanks, FILE *f)
{
	for (size_t k = 0; k < c->per_group; k++) {
		size_t at = 1 + group * c->per_group + k;
		const char *text = cell_at(c, row, at);
		size_t wide = column_width(c, at);
		*blanks += wide ? GAP + wide - paragraph_columns(text) : 0;
		if (!*text)
			continue;
		fprintf(f, "%*s%s", (int)*blanks, "", text);
		*blanks = 0;
	}
}

/* Writes groups `from` to `to` - 1; if is_repeated, writes group 0 before
 * them. */
static void write_row(const struct columns *c, size_t row, int is_repeated,
		      size_t from, size_t to, FILE *f)
{
	const char *label = cell_at(c, row, 0);
	size_t blanks = column_width(c, 0) - paragraph_columns(label);
	fputs(label, f);
	if (is_repeated)
		write_group(c, row, 0, &blanks, f);
	for (size_t group = from; group < to; group++)
		write_group(c, row, group, &blanks, f);
	fputc('\n', f);
}

void columns_write(const struct columns *c, FILE *f, size_t width)
{
	size_t base = column_width(c, 0), first = group_width(c, 0), widest = 0;
	for (size_t i = 1; i < c->n_groups; i++)
		if (group_width(c, i) > widest)
			widest = group_width(c, i);
	/* Where not even two groups fit side by side, each gets lines of its
	 * own. */
	int is_repeated = c->n_groups > 1 && base + first + widest <= width;
	size_t from = (size_t)is_repeated;
	base += is_repeated ? first : 0;
	while (from < c->n_groups) {
		size_t to = from, used = base;
		while (to < c->n_groups &&
		       (to == from || used + group_width(c, to) <= width))
			used += group_width(c, to++);
		if (from > (size_t)is_repeated)
			fputc('\n', f);
		for (size_t row = 0; row < c->n_rows; row++)
			write_row(c, row, is_repeated, from, to, f);
		from = to;
	}
}
