/* columns.c -- Lays out a table so that it fits the width of the terminal. */
#include "report/columns.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "base/paragraph.h"
#include "base/problem.h"

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

static void fail(struct columns *c)
{
	c->failed = 1;
	problem_note_machine(ENOMEM);
}

__attribute__((format(printf, 3, 0))) static void
set(struct columns *c, size_t at, const char *fmt, va_list ap)
{
	struct cell *to = last_row(c, at);
	char *text;
	if (!to || vasprintf(&text, fmt, ap) < 0) {
		fail(c);
		return;
	}
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
	if (add_row(c) < 0) {
		fail(c);
		return;
	}
	va_start(ap, fmt);
	set(c, 0, fmt, ap);
	va_end(ap);
}

struct columns columns_begin(const char *const *head, size_t n, const char *fmt,
			     ...)
{
	struct columns c = {.n_groups = 1, .per_group = n};
	va_list ap;
	if (add_row(&c) < 0)
		fail(&c);
	va_start(ap, fmt);
	set(&c, 0, fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < n; i++)
		columns_cell(&c, 0, i, "%s", head[i]);
	return c;
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

__attribute__((format(printf, 4, 0))) static void
set_words(struct columns *c, size_t column, enum cell_kind kind,
	  const char *fmt, va_list ap)
{
	set(c, column, fmt, ap);
	set_kind(c, column, kind);
}

void columns_words(struct columns *c, size_t group, size_t at, const char *fmt,
		   ...)
{
	va_list ap;
	va_start(ap, fmt);
	set_words(c, 1 + group * c->per_group + at, CELL_WORDS, fmt, ap);
	va_end(ap);
}

void columns_remark(struct columns *c, size_t group, size_t at, const char *fmt,
		    ...)
{
	va_list ap;
	va_start(ap, fmt);
	set_words(c, 1 + group * c->per_group + at, CELL_REMARK, fmt, ap);
	va_end(ap);
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

/* A column as it is written. */
struct written_column {
	size_t wide; /* 0: the column is empty */
	int is_left;
};
/* A table being written.  The cells of a table with a single group may be cut
 * apart: then each is a group here. */
struct layout {
	const struct columns *c;
	size_t n_groups, per_group;
	size_t n_repeated; /* groups that the parts have in common */
	struct written_column *column;
	size_t width; /* columns of a line */
	int is_bright;
	FILE *f;
};

/* Returns the first byte of the next line, or NULL. */
static const char *next_line(const char *text)
{
	const char *end = strchr(text, '\n');
	return end ? end + 1 : NULL;
}

static size_t count_lines(const char *text)
{
	size_t n = 0;
	for (; text; text = next_line(text))
		n++;
	return n;
}

static size_t most_columns(const struct columns *c, size_t at)
{
	size_t most = 0;
	for (size_t i = 0; i < c->n_rows; i++) {
		if (columns_at(c, i)[at].kind == CELL_REMARK) {
			most = most ? most : 1;
			continue;
		}
		for (const char *s = text_at(c, i, at); s; s = next_line(s)) {
			size_t n = paragraph_columns(s, strcspn(s, "\n"));
			most = n > most ? n : most;
		}
	}
	return most;
}

static size_t group_width(const struct layout *l, size_t group)
{
	size_t sum = 0;
	for (size_t k = 0; k < l->per_group; k++) {
		size_t n = l->column[1 + group * l->per_group + k].wide;
		sum += n ? n + GAP : 0;
	}
	return sum;
}

/* Writes words that are wider than their column on several lines. */
static void write_words(const struct layout *l, size_t wide, size_t indent,
			const char *text, size_t size)
{
	struct text t;
	FILE *m = text_begin(&t);
	if (!m)
		return;
	paragraph_print(m, wide, 0, "%.*s", (int)size, text);
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

/* Writes the first `size` bytes of a text into its column. */
static void write_text(const struct layout *l, size_t column, const char *text,
		       size_t size, struct pen *pen)
{
	size_t wide = l->column[column].wide;
	size_t n = paragraph_columns(text, size), end = size;
	int is_left = l->column[column].is_left;
	/* A cell may end in blanks, as wide as the mark of another cell. */
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
			write_words(l, wide, pen->at, text, size);
		else
			fprintf(l->f, "%.*s", (int)end, text);
		pen->at += n < wide ? n : wide;
		pen->blanks = size - end;
		pen->at -= pen->blanks;
	} else {
		pen->blanks += n;
	}
	pen->blanks += is_left && n < wide ? wide - n : 0;
}

/* A row, or the line of the head with this number of others below it. */
struct line {
	size_t row, others;
};

static void write_remark(const struct layout *l, const char *text,
			 struct pen *pen)
{
	size_t at = pen->at + pen->blanks + GAP;
	fprintf(l->f, "%*s", (int)(pen->blanks + GAP), "");
	write_words(l, at + LEAST_WORDS <= l->width ? l->width - at : SIZE_MAX,
		    at, text, strlen(text));
	*pen = (struct pen){0, at};
}

static void write_cell(const struct layout *l, struct line line, size_t column,
		       struct pen *pen)
{
	const char *text = text_at(l->c, line.row, column);
	size_t size = strlen(text);
	if (columns_at(l->c, line.row)[column].kind == CELL_REMARK) {
		write_remark(l, text, pen);
		return;
	}
	if (line.row == 0) {
		size_t n = count_lines(text);
		for (; n > line.others + 1; n--)
			text = next_line(text);
		size = n > line.others ? strcspn(text, "\n") : 0;
	}
	write_text(l, column, text, size, pen);
}

static void write_group(const struct layout *l, struct line line, size_t group,
			struct pen *pen)
{
	for (size_t k = 0; k < l->per_group; k++)
		write_cell(l, line, 1 + group * l->per_group + k, pen);
}

/* Writes the repeated groups, then groups `from` to `to` - 1. */
static void write_line(const struct layout *l, struct line line, size_t from,
		       size_t to)
{
	struct pen pen = {0};
	int is_bright = l->is_bright && line.row == 0;
	fputs(is_bright ? "\033[1m" : "", l->f);
	write_cell(l, line, 0, &pen);
	for (size_t group = 0; group < l->n_repeated; group++)
		write_group(l, line, group, &pen);
	for (size_t group = from; group < to; group++)
		write_group(l, line, group, &pen);
	fputs(is_bright ? "\033[0m\n" : "\n", l->f);
}

/* Returns how many lines the head of these groups has. */
static size_t count_head_lines(const struct layout *l, size_t from, size_t to)
{
	size_t most = count_lines(text_at(l->c, 0, 0));
	for (size_t i = 0; i < to * l->per_group; i++) {
		size_t group = i / l->per_group;
		size_t n = count_lines(text_at(l->c, 0, 1 + i));
		if ((group < l->n_repeated || group >= from) && n > most)
			most = n;
	}
	return most;
}

static void write_part(const struct layout *l, size_t from, size_t to)
{
	for (size_t others = count_head_lines(l, from, to); others-- > 0;)
		write_line(l, (struct line){0, others}, from, to);
	for (size_t row = 1; row < l->c->n_rows; row++)
		write_line(l, (struct line){row, 0}, from, to);
}

static size_t repeated_width(const struct layout *l)
{
	size_t sum = l->column[0].wide;
	for (size_t i = 0; i < l->n_repeated; i++)
		sum += group_width(l, i);
	return sum;
}

static void write_parts(struct layout *l)
{
	size_t widest = 0;
	for (size_t i = l->n_repeated; i < l->n_groups; i++)
		if (group_width(l, i) > widest)
			widest = group_width(l, i);
	/* Where not even one more group fits beside the repeated ones, each
	 * gets lines of its own. */
	if (repeated_width(l) + widest > l->width)
		l->n_repeated = 0;
	size_t from = l->n_repeated;
	while (from < l->n_groups) {
		size_t to = from, used = repeated_width(l);
		while (to < l->n_groups &&
		       (to == from || used + group_width(l, to) <= l->width))
			used += group_width(l, to++);
		if (from > l->n_repeated)
			fputc('\n', l->f);
		write_part(l, from, to);
		from = to;
	}
}

/* Words in the last column get the room that the other columns leave: all of
 * them, or those that are repeated beside it in a part of its own. */
static void narrow_words(struct layout *l)
{
	size_t width = l->width, last = columns_width(l->c) - 1, sum = 0;
	while (last && !l->column[last].wide)
		last--;
	for (size_t i = 0; i < last; i++)
		sum += l->column[i].wide ? l->column[i].wide + GAP : 0;
	if (l->c->n_repeated && sum + LEAST_WORDS > width)
		sum = repeated_width(l) + GAP;
	if (last && l->column[last].is_left &&
	    sum + l->column[last].wide > width && sum + LEAST_WORDS <= width)
		l->column[last].wide = width - sum;
}

void columns_write(const struct columns *c, FILE *f, size_t width,
		   int is_bright)
{
	size_t n = columns_width(c);
	int is_one = c->n_groups == 1;
	struct layout l = {.c = c,
			   .n_groups = is_one ? c->per_group : c->n_groups,
			   .per_group = is_one ? 1 : c->per_group,
			   .n_repeated = is_one ? c->n_repeated
						: c->n_groups && !c->is_plain,
			   .column = calloc(n, sizeof *l.column),
			   .width = width,
			   .is_bright = is_bright,
			   .f = f};
	if (!l.column || !c->n_rows) {
		free(l.column);
		return;
	}
	for (size_t i = 0; i < n; i++)
		l.column[i] = (struct written_column){
		    .wide = i && c->n_rows > 1 && !columns_has(c, i)
				? 0
				: most_columns(c, i),
		    .is_left =
			i == 0 ? !c->are_labels_right : columns_is_words(c, i)};
	narrow_words(&l);
	write_parts(&l);
	free(l.column);
}
