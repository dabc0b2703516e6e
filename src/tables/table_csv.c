/* table_csv.c -- Reads a table from CSV. */
#include "tables/table_csv.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"
#include "base/number.h"
#include "cost/kernel_op.h"
#include "stepcost/format.h"

/* What a column holds. */
enum holds { UNKNOWN, COUNTS, TIMES, MEASURES, WORDS, FORMATS };

/* A cell of a line in the file: it belongs to a column of the table, or is the
 * time at one value of the axis. */
struct place {
	uint32_t column;
	enum holds holds;
	int is_time_at;
	double at;
};

struct reading {
	struct table *t;
	const char *const *columns; /* of a file without a header, or NULL */
	uint64_t line;              /* the current line of the file */
	struct place *place;        /* [n] for the cells of a line */
	struct table_cell *cell;    /* [n_cols] of a row */
	/* Columns of the table; columns of the file without a value in their
	 * name. */
	uint32_t n_cols, n_plain;
	int is_wide;
	int foreign;   /* 1: a number format is unknown */
	char why[300]; /* for the text of an error */
};

/* ---- the header ---- */

/* "m=16" is the time at m = 16.  Returns the length of the axis's name, or 0
 * for an ordinary column. */
static size_t time_at(const char *head, double *at)
{
	const char *equals = strchr(head, '=');
	if (!equals || equals == head)
		return 0;
	const char *end = number_parse(equals + 1, at);
	return *end || end == equals + 1 || !isfinite(*at) || *at < 0
		   ? 0
		   : (size_t)(equals - head);
}

static enum holds holds_by_name(const char *column)
{
	return kernel_column_is_format(column)    ? FORMATS
	       : kernel_column_is_text(column)    ? WORDS
	       : !strcmp(column, "latency_us")    ? TIMES
	       : kernel_column_is_count(column)   ? COUNTS
	       : kernel_column_is_measure(column) ? MEASURES
						  : UNKNOWN;
}

/* Columns of the table: those of the file; for a wide table the axis and
 * latency_us follow. */
static const char *place_columns(struct reading *r, uint32_t n,
				 const char *const *head, const char **name,
				 char **axis)
{
	for (uint32_t i = 0; i < n; i++) {
		struct place *at = &r->place[i];
		size_t length = time_at(head[i], &at->at);
		at->column = r->n_cols;
		if (!length) {
			if (*axis)
				return "columns AXIS=VALUE come last";
			at->holds = holds_by_name(head[i]);
			name[r->n_cols++] = head[i];
			continue;
		}
		at->is_time_at = 1;
		at->holds = TIMES;
		if (!*axis && !(*axis = strndup(head[i], length)))
			return out_of_memory;
		if (strlen(*axis) != length || strncmp(*axis, head[i], length))
			return "columns AXIS=VALUE of more than one axis";
	}
	r->n_plain = r->n_cols;
	r->is_wide = *axis != NULL;
	if (*axis) {
		name[r->n_cols++] = *axis;
		name[r->n_cols++] = "latency_us";
	}
	return NULL;
}

static const char *on_header(struct reading *r, uint32_t n,
			     const char *const *head)
{
	char *axis = NULL;
	const char **name = calloc(n + 2, sizeof *name);
	r->place = calloc(n, sizeof *r->place);
	r->cell = calloc(n + 2, sizeof *r->cell);
	const char *why = out_of_memory;
	if (name && r->place && r->cell)
		why = place_columns(r, n, head, name, &axis);
	if (!why)
		why = table_set_columns(r->t, r->n_cols, name);
	free(axis);
	free(name);
	return why;
}

/* ---- cells ---- */

/* For a column with an unknown name the first row decides: it holds strings if
 * its first cell starts with a letter and is no number. */
static int begins_text(const char *first)
{
	double v;
	return isalpha((unsigned char)*first) &&
	       number_parse(first, &v) == first;
}

static const char *read_number(enum holds holds, const char *cell, double *v)
{
	const char *end = number_parse(cell, v);
	if (end == cell || *end || !isfinite(*v))
		return "not a finite number";
	if (*v < 0)
		return "a negative number";
	if (holds == COUNTS && *v != floor(*v))
		return "not a whole number";
	return holds == TIMES && *v == 0 ? "latency_us is 0" : NULL;
}

/* Reads a number format by its name, or "unknown" for layouts without one. */
static const char *read_format(struct reading *r, uint32_t column,
			       const char *cell, const char **words)
{
	char known[256];
	const struct sc_format *f = sc_format_find(cell);
	*words = f ? f->name : cell;
	if (f || !strcmp(cell, "unknown"))
		return NULL;
	r->foreign = 1;
	snprintf(r->why, sizeof r->why, "%s is none of %s", r->t->head[column],
		 sc_format_names(known, sizeof known));
	return r->why;
}

static const char *read_cell(struct reading *r, struct place *at,
			     const char *cell, int is_first)
{
	struct table_cell *to = &r->cell[at->column];
	if (is_first && at->holds == UNKNOWN && begins_text(cell))
		at->holds = WORDS;
	*to = (struct table_cell){NULL, 0};
	if (at->holds == FORMATS)
		return read_format(r, at->column, cell, &to->words);
	if (at->holds != WORDS)
		return read_number(at->holds, cell, &to->number);
	to->words = cell;
	return NULL;
}

/* Makes a row of each time in a line; an empty cell was not measured. */
static const char *append_wide(struct reading *r, uint32_t n, char *const *cell)
{
	const char *why = NULL;
	uint32_t rows = 0;
	struct table_cell *axis = &r->cell[r->n_plain], *time = axis + 1;
	for (uint32_t i = r->n_plain; !why && i < n; i++) {
		if (!*cell[i])
			continue;
		why = read_number(TIMES, cell[i], &time->number);
		axis->number = r->place[i].at;
		if (!why && table_append(r->t, r->line, r->cell) < 0)
			why = out_of_memory;
		rows++;
	}
	return why ? why : rows ? NULL : "no time";
}

/* Returns 1 if the first line has as many cells as there are columns, and none
 * of their names. */
static int is_headless(const struct reading *r, uint32_t n, char *const *cell)
{
	uint32_t n_columns = 0;
	for (; r->columns && r->columns[n_columns]; n_columns++)
		for (uint32_t i = 0; i < n; i++)
			if (!strcmp(r->columns[n_columns], cell[i]))
				return 0;
	return n_columns == n;
}

static const char *on_table_row(void *user, uint64_t row, uint32_t n,
				char *const *cell)
{
	struct reading *r = user;
	const char *why = NULL;
	if (row == 0) {
		int headless = is_headless(r, n, cell);
		r->t->headless = headless;
		why = on_header(
		    r, n, headless ? r->columns : (const char *const *)cell);
		if (why || !headless)
			return why;
	}
	int is_first = r->t->view.n_rows == 0;
	for (uint32_t i = 0; !why && i < n && !r->place[i].is_time_at; i++)
		why = read_cell(r, &r->place[i], cell[i], is_first);
	if (why)
		return why;
	if (r->is_wide)
		return append_wide(r, n, cell);
	return table_append(r->t, r->line, r->cell) < 0 ? out_of_memory : NULL;
}

/* ---- the file ---- */

/* "a/b/gemm.csv" -> "gemm" */
static char *op_of(const char *origin)
{
	const char *name = strrchr(origin, '/');
	name = name ? name + 1 : origin;
	const char *dot = strrchr(name, '.');
	return strndup(name, dot ? (size_t)(dot - name) : strlen(name));
}

int table_read(struct table *t, FILE *f, const char *origin,
	       const char *const *columns, struct problem *p)
{
	struct reading r = {.t = t, .columns = columns};
	*t = (struct table){.origin = strdup(origin), .op = op_of(origin)};
	int rc = csv_read_lines(f, origin, on_table_row, &r, &r.line, p);
	free(r.cell), free(r.place);
	if (rc == 0 && (t->view.n_rows == 0 || !t->origin || !t->op))
		rc = problem_at(p, origin, 1,
				t->view.n_rows ? out_of_memory : "no rows");
	if (rc < 0)
		table_free(t);
	else
		table_show(t);
	return rc < 0 && r.foreign ? TABLE_FOREIGN : rc;
}
