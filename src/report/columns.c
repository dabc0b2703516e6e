/* columns.c -- Lays out a table so that it fits the width of the terminal. */
#include "report/columns.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "base/paragraph.h"

enum { GAP = 2, LEAST_WORDS = 12 };

size_t columns_width(const struct columns *c)
{
	return 1 + c->n_groups * c->per_group;
}

const struct cell *columns_at(const struct columns *c, size_t row)
{
	return c->cell + row * columns_width(c);
}

static const char *text_at(const struct columns *c, size_t row, size_t at)
{
	const char *text = columns_at(c, row)[at].text;
	return text ? text : "";
}

int columns_has(const struct columns *c, size_t column)
{
	for (size_t i = 1; i < c->n_rows; i++)
		if (*text_at(c, i, column))
			return 1;
	return 0;
}

int columns_is_words(const struct columns *c, size_t column)
{
	for (size_t i = 1; i < c->n_rows; i++)
		if (columns_at(c, i)[column].kind == CELL_WORDS)
			return 1;
	return 0;
}

/* ---- filling ---- */

/* Returns the cell at this position of the last row; NULL: there is no row. */
static struct cell *last_row(struct columns *c, size_t at)
{
	return c->n_rows ? &c->cell[(c->n_rows - 1) * columns_width(c) + at]
			 : NULL;
}

__attribute__((format(printf, 3, 0))) static void
set(struct columns *c, size_t at, const char *fmt, va_list ap)
{
	struct cell *to = last_row(c, at);
	char *text;
	if (!to || vasprintf(&text, fmt, ap) < 0)
		return;
	free(to->text);
	*to = (struct cell){text, NAN, CELL_FIGURE};
}

static int add_row(struct columns *c)
{
	size_t n = columns_width(c);
	if (c->n_rows == c->cap) {
		size_t cap = c->cap ? 2 * c->cap : 32;
		struct cell *more = realloc(c->cell, cap * n * sizeof *more);
		if (!more)
			return -1;
		c->cell = more;
		c->cap = cap;
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

static void set_kind(struct columns *c, size_t at, enum cell_kind kind)
{
	struct cell *x = last_row(c, at);
	if (x)
		x->kind = kind;
}

void columns_metric(struct columns *c, const char *name, const char *unit)
{
	columns_row(c, "%s%s%s", name, *unit ? " " : "", unit);
	set_kind(c, 0, CELL_METRIC);
}

void columns_metric_cell(struct columns *c, size_t group, size_t at,
			 const char *name)
{
	columns_cell(c, group, at, "%s", name);
	set_kind(c, 1 + group * c->per_group + at, CELL_METRIC);
}

void columns_cell(struct columns *c, size_t group, size_t at, const char *fmt,
		  ...)
{
	va_list ap;
	va_start(ap, fmt);
	set(c, 1 + group * c->per_group + at, fmt, ap);
	va_end(ap);
}

void columns_words(struct columns *c, size_t group, size_t at, const char *fmt,
		   ...)
{
	size_t place = 1 + group * c->per_group + at;
	va_list ap;
	va_start(ap, fmt);
	set(c, place, fmt, ap);
	va_end(ap);
	set_kind(c, place, CELL_WORDS);
}

void columns_number(struct columns *c, size_t group, size_t at, double value,
		    int decimals, const char *behind)
{
	if (isfinite(value))
		columns_cell(c, group, at, "%.*f%s", decimals, value, behind);
	else
		columns_cell(c, group, at, "-%s", *behind ? " " : "");
	columns_value(c, group, at, value);
}

void columns_value(struct columns *c, size_t group, size_t at, double value)
{
	struct cell *x = last_row(c, 1 + group * c->per_group + at);
	if (x)
		x->value = value;
}

void columns_free(struct columns *c)
{
	for (size_t i = 0; i < c->n_rows * columns_width(c); i++)
		free(c->cell[i].text);
	free(c->cell);
	*c = (struct columns){0};
}

/* ---- writing ---- */

/* A table being written, and the width of each column.  The cells of a table
 * with a single group may be cut apart. */
struct layout {
	const struct columns *c;
	size_t n_groups, per_group;
	size_t *wide; /* [columns]; 0: the column is empty */
	int is_bright;
	FILE *f;
};

static size_t most_columns(const struct columns *c, size_t at)
{
	size_t most = 0;
	for (size_t i = 0; i < c->n_rows; i++) {
		size_t n = paragraph_columns(text_at(c, i, at));
		most = n > most ? n : most;
	}
	return most;
}

static size_t group_width(const struct layout *l, size_t group)
{
	size_t sum = 0;
	for (size_t k = 0; k < l->per_group; k++) {
		size_t n = l->wide[1 + group * l->per_group + k];
		sum += n ? n + GAP : 0;
	}
	return sum;
}

/* Writes words that are wider than their column on several lines. */
static void write_words(const struct layout *l, size_t at, size_t indent,
			const char *text)
{
	struct text t;
	FILE *m = text_begin(&t);
	if (!m)
		return;
	paragraph_write(m, text, l->wide[at], 0);
	fclose(m);
	t.s[strcspn(t.s, "\n") == t.n - 1 ? t.n - 1 : t.n] = '\0';
	for (char *rest = t.s, *line; (line = strsep(&rest, "\n")) != NULL;)
		if (*line)
			fprintf(l->f, "%s%*s%s", line == t.s ? "" : "\n",
				line == t.s ? 0 : (int)indent, "", line);
	free(t.s);
}

/* blanks: not yet written; at: where they begin. */
struct pen {
	size_t blanks, at;
};

static void write_cell(const struct layout *l, size_t row, size_t column,
		       struct pen *pen)
{
	const char *text = text_at(l->c, row, column);
	size_t wide = l->wide[column], n = paragraph_columns(text);
	int is_left = column == 0 || columns_is_words(l->c, column);
	/* A cell may end in blanks, as wide as the mark of another cell. */
	size_t end = strlen(text);
	while (end && text[end - 1] == ' ')
		end--;
	if (!wide)
		return;
	pen->blanks += column ? GAP : 0;
	pen->blanks += is_left || n > wide ? 0 : wide - n;
	if (end) {
		fprintf(l->f, "%*s", (int)pen->blanks, "");
		pen->at += pen->blanks;
		pen->blanks = 0;
		if (n > wide)
			write_words(l, column, pen->at, text);
		else
			fprintf(l->f, "%.*s", (int)end, text);
		pen->at += n < wide ? n : wide;
		pen->blanks = strlen(text) - end;
		pen->at -= pen->blanks;
	} else {
		pen->blanks += n;
	}
	pen->blanks += is_left && n < wide ? wide - n : 0;
}

static void write_group(const struct layout *l, size_t row, size_t group,
			struct pen *pen)
{
	for (size_t k = 0; k < l->per_group; k++)
		write_cell(l, row, 1 + group * l->per_group + k, pen);
}

/* Writes groups `from` to `to` - 1; if is_repeated, writes group 0 before
 * them. */
static void write_row(const struct layout *l, size_t row, int is_repeated,
		      size_t from, size_t to)
{
	struct pen pen = {0};
	int is_bright = l->is_bright && row == 0;
	fputs(is_bright ? "\033[1m" : "", l->f);
	write_cell(l, row, 0, &pen);
	if (is_repeated)
		write_group(l, row, 0, &pen);
	for (size_t group = from; group < to; group++)
		write_group(l, row, group, &pen);
	fputs(is_bright ? "\033[0m\n" : "\n", l->f);
}

static void write_parts(const struct layout *l, size_t width)
{
	const struct columns *c = l->c;
	size_t base = l->wide[0], first = group_width(l, 0), widest = 0;
	for (size_t i = 1; i < l->n_groups; i++)
		if (group_width(l, i) > widest)
			widest = group_width(l, i);
	/* Where not even two groups fit side by side, each gets lines of its
	 * own. */
	int is_repeated =
	    !c->is_plain && c->n_groups > 1 && base + first + widest <= width;
	size_t from = (size_t)is_repeated;
	base += is_repeated ? first : 0;
	while (from < l->n_groups) {
		size_t to = from, used = base;
		while (to < l->n_groups &&
		       (to == from || used + group_width(l, to) <= width))
			used += group_width(l, to++);
		if (from > (size_t)is_repeated)
			fputc('\n', l->f);
		for (size_t row = 0; row < c->n_rows; row++)
			write_row(l, row, is_repeated, from, to);
		from = to;
	}
}

/* Words in the last column get the room that the other columns leave. */
static void narrow_words(struct layout *l, size_t width)
{
	size_t last = columns_width(l->c) - 1, sum = 0;
	while (last && !l->wide[last])
		last--;
	for (size_t i = 0; i < last; i++)
		sum += l->wide[i] ? l->wide[i] + GAP : 0;
	if (last && columns_is_words(l->c, last) &&
	    sum + l->wide[last] > width && sum + LEAST_WORDS <= width)
		l->wide[last] = width - sum;
}

void columns_write(const struct columns *c, FILE *f, size_t width,
		   int is_bright)
{
	size_t n = columns_width(c);
	int is_one = c->n_groups == 1;
	struct layout l = {c,
			   is_one ? c->per_group : c->n_groups,
			   is_one ? 1 : c->per_group,
			   calloc(n, sizeof *l.wide),
			   is_bright,
			   f};
	if (!l.wide)
		return;
	for (size_t i = 0; i < n; i++)
		l.wide[i] = i && c->n_rows > 1 && !columns_has(c, i)
				? 0
				: most_columns(c, i);
	narrow_words(&l, width);
	write_parts(&l, width);
	free(l.wide);
}
