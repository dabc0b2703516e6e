/* trace_csv.c -- Reads rows of CSV traces by the columns of the format.  libcsv
 * reads an Azure trace at 270 MB/s of CPU time. */
#include "workload/trace/trace_csv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"
#include "base/decimal.h"
#include "base/grow.h"
#include "base/nearest.h"
#include "workload/trace/trace_likely.h"
#include "workload/trace/trace_reader_private.h"

/* Rows from which the unit of the time is guessed. */
enum { SAMPLED_ROWS = 1000 };

/* How a row ends: with its line, or with the file, which has no end of line
 * there. */
enum { ROW_ENDED = 1, ROW_AT_END };

/* ---- cells ---- */

static void on_cell(void *s, size_t n, void *user)
{
	struct trace *t = user;
	if (t->why)
		return;
	if (!MAKE_ROOM(t->cell, t->n_cells, t->cell_cap)) {
		t->why = out_of_memory;
		return;
	}
	if (t->cells_len + n + 1 > t->cells_cap) {
		size_t cap = 2 * (t->cells_len + n + 1);
		char *cells = realloc(t->cells, cap);
		if (!cells) {
			t->why = out_of_memory;
			return;
		}
		t->cells = cells;
		t->cells_cap = cap;
	}
	memcpy(t->cells + t->cells_len, s, n + 1);
	t->cell[t->n_cells++].n = n;
	t->cells_len += n + 1;
}

static void on_row(int c, void *user)
{
	struct trace *t = user;
	t->row_ended = c < 0 ? ROW_AT_END : ROW_ENDED;
}

/* Returns 1 for a line that libcsv skips. */
static int is_blank(const char *s, size_t n, char separator)
{
	while (n && *s != separator && memchr(" \t\r\n", *s, 4))
		s++, n--;
	return n == 0;
}

/* Reads one row, which begins at *line.  Returns 1, 0 at the end, or -1 with
 * t->why set. */
static int next_cells(struct trace *t, uint64_t *line, uint64_t *offset)
{
	const char *text;
	size_t n = 0;
	int got = 0, begun = 0;
	t->row_ended = 0;
	t->n_cells = 0;
	t->cells_len = 0;
	while (!t->row_ended && !t->why) {
		uint64_t at = t->lines.offset;
		got = lines_next(&t->lines, &text, &n);
		if (got < 0) {
			/* The fault is in the line that was not read. */
			*line = begun ? *line : t->lines.line + 1;
			return trace_read_fault(t);
		}
		if (got == 0)
			break;
		if (!begun) {
			*offset = at;
			*line = t->lines.line;
		}
		begun |= !is_blank(text, n, t->separator);
		if (t->lines.offset - *offset > LINES_LONGEST) {
			errno = EFBIG;
			return trace_read_fault(t);
		}
		if (memchr(text, '\0', n))
			t->why = "has a NUL, so it is no text: name a CSV file";
		else if (csv_parse(&t->csv, text, n, on_cell, on_row, t) != n)
			t->why = csv_fault(&t->csv);
	}
	if (!t->why && got == 0 && csv_fini(&t->csv, on_cell, on_row, t) != 0)
		t->why = csv_fault(&t->csv);
	if (t->why)
		return -1;
	char *s = t->cells;
	for (uint32_t i = 0; i < t->n_cells; i++) {
		t->cell[i].s = s;
		s += t->cell[i].n + 1;
	}
	return t->row_ended != 0;
}

/* ---- the header ---- */

/* Returns the name that the file has for the column; "": it is not used. */
static const char *name_of(const struct trace *t, int column)
{
	return t->format->takes_columns ? t->option.columns.name[column]
					: t->format->column[column].name;
}

/* Lists the columns of the file. */
static int list_header(const struct trace *t, struct names *header)
{
	for (uint32_t i = 0; i < t->n_cells; i++)
		if (names_add(header, t->cell[i].s) < 0)
			return -1;
	return 0;
}

/* Finds a name near that of the column, among those that no role has. */
static const char *hint_at(const struct trace *t, int column, char hint[100])
{
	struct nearest near;
	nearest_start(&near, name_of(t, column));
	for (uint32_t i = 0; i < t->n_cells; i++) {
		int is_taken = 0;
		for (int c = 0; c < N_ROLES; c++)
			is_taken |= span_is(t->cell[i], name_of(t, c));
		if (!is_taken)
			nearest_try(&near, t->cell[i].s);
	}
	return nearest_hint(&near, hint);
}

static const char *no_column(struct trace *t, int column)
{
	struct names header = {0};
	char list[400], which[100] = "";
	const char *why = out_of_memory;
	if (t->format->takes_columns)
		hint_at(t, column, which);
	else
		snprintf(which, sizeof which, ", which %s traces have",
			 t->format->name);
	if (list_header(t, &header) == 0)
		why = trace_say(t, "no column %s%s; the file has: %s",
				name_of(t, column), which,
				names_join(&header, list, sizeof list));
	names_free(&header);
	return why;
}

static int are_numbers(const struct trace *t)
{
	int64_t number;
	for (uint32_t i = 0; i < t->n_cells; i++)
		if (decimal_scaled(t->cell[i].s, t->cell[i].n, 0, &number) < 0)
			return 0;
	return t->n_cells > 0;
}

/* Suggests the value of `columns` for a file that no format knows. */
static const char *suggest(struct trace *t)
{
	struct names header = {0};
	struct trace_columns c;
	char list[300], text[TRACE_COLUMNS_TEXT];
	const char *why = out_of_memory;
	if (are_numbers(t))
		return "its first line has numbers, but it must name the "
		       "columns: add a line such as time,input,output and "
		       "[workload] columns = time:time, input:input, "
		       "output:output";
	if (list_header(t, &header) == 0) {
		trace_likely(&c, &header);
		for (int i = ROLE_INPUT; i <= ROLE_OUTPUT; i++)
			if (!*c.name[i])
				strcpy(c.name[i], "NAME");
		why = trace_say(t,
				"its columns are not those of a known format; "
				"write [workload] columns = %s%s; the file "
				"has: %s",
				*c.name[ROLE_TIME] ? "" : "time:NAME@UNIT, ",
				trace_columns_write(&c, text),
				names_join(&header, list, sizeof list));
	}
	names_free(&header);
	return why;
}

/* Returns NULL, or what is wrong with a cell of the header. */
static const char *check_cells(struct trace *t)
{
	const struct trace_format *f = t->format;
	for (uint32_t i = 0; i < t->n_cells; i++) {
		int c = trace_column_of(f, t->cell[i].s, t->cell[i].n);
		if (c < 0 && f->only_these)
			return trace_say(t, "column '%.60s' is unknown",
					 t->cell[i].s);
		if (c >= 0 && f->column[c].required == TRACE_RESERVED)
			return trace_say(t, "column '%s' is reserved for later",
					 f->column[c].name);
	}
	return NULL;
}

static const char *find_column(struct trace *t, int c)
{
	const char *name = name_of(t, c);
	for (uint32_t i = 0; *name && i < t->n_cells; i++) {
		if (!span_is(t->cell[i], name))
			continue;
		if (t->known[c].s)
			return trace_say(t, "column %s comes twice", name);
		t->known[c] = t->cell[i];
		t->used[t->n_used].column = c;
		t->used[t->n_used++].cell = i;
	}
	int is_needed = t->format->column[c].required == 1 ||
			(t->format->takes_columns && *name);
	return is_needed && !t->known[c].s ? no_column(t, c) : NULL;
}

static const char *on_header(struct trace *t)
{
	const struct trace_format *f = t->format;
	t->n_columns = t->n_cells;
	t->n_used = 0;
	memset(t->known, 0, sizeof t->known);
	if (f->takes_columns && !trace_columns_given(&t->option.columns))
		return suggest(t);
	const char *why = check_cells(t);
	for (int c = 0; !why && f->column[c].name; c++)
		why = find_column(t, c);
	return why;
}

/* ---- rows ---- */

/* Reads the cells of the next row into t->known.  Returns 1, 0 at the end, or
 * -1 with t->why set. */
static int next_known(struct trace *t, struct trace_row *row)
{
	int got = next_cells(t, &row->request.line, &row->offset);
	if (got == 1 && !t->has_header) {
		t->has_header = 1;
		t->why = on_header(t);
		if (!t->why)
			got = next_cells(t, &row->request.line, &row->offset);
	}
	if (t->why)
		return -1;
	if (got == 0)
		return 0;
	if (t->n_cells != t->n_columns) {
		t->why = trace_say(t, "%u cells, but the header has %u%s",
				   t->n_cells, t->n_columns,
				   t->row_ended == ROW_AT_END &&
					   t->n_cells < t->n_columns
				       ? ": the file is cut short"
				       : "");
		return -1;
	}
	for (int i = 0; i < t->n_used; i++)
		t->known[t->used[i].column] = t->cell[t->used[i].cell];
	return 1;
}

int trace_csv_next(struct trace *t, struct trace_row *row)
{
	int got = next_known(t, row);
	if (got == 1)
		t->why = t->format->row(t, t->known, row);
	return t->why ? -1 : got;
}

int trace_csv_sample(struct trace *t, struct problem *p)
{
	struct trace_row row = {0};
	int got = 1;
	for (int n = 0; got == 1 && n < SAMPLED_ROWS; n++) {
		got = next_known(t, &row);
		if (got == 1)
			t->why = t->format->sample(t, t->known);
		/* An error in a later row is reported when that row is read. */
		if (t->why && (n == 0 || t->why == out_of_memory))
			return problem_at(p, t->path, row.request.line, t->why);
	}
	t->why = NULL;
	return 0;
}
