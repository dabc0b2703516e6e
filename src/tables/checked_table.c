/* checked_table.c -- Reads a table for its checks. */
#include "tables/checked_table.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file/infile.h"
#include "base/file/path.h"
#include "tables/table_csv.h"

/* ---- findings ---- */

void checked_tell(const struct checked_table *c, int64_t row, const char *what,
		  int is_error, const char *fmt, ...)
{
	char text[400];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	const struct finding f = {c->path, row < 0 ? 0 : c->t.line[row], what,
				  is_error, text};
	c->tell(c->user, &f);
}

/* ---- columns ---- */

/* Returns the index of a column of numbers with either name, or -1. */
static int find_numbers(const struct table *t, const char *name,
			const char *other)
{
	int at = table_column(t, name);
	if (at < 0 && other)
		at = table_column(t, other);
	return at >= 0 && t->col[at] ? at : -1;
}

static int has_column(const void *table, const char *name)
{
	return table_column(table, name) >= 0;
}

/* The name "gemm" of "a/b/gemm.csv" gives the kind; for other names the columns
 * decide. */
static const struct kernel_op *kind_of(const struct table *t,
				       const struct table_file *of)
{
	const struct kernel_op *kind =
	    kernel_table_find(of && of->op ? of->op : t->op);
	return kind ? kind : kernel_table_reported(has_column, t);
}

/* Reads the numbers of the last group like that in "…32-8-128-tp1.csv". */
static int numbers_of_name(const char *path, unsigned part[4])
{
	const char *s = path_name(path);
	for (; *s; s++) {
		part[3] = 1;
		if (isdigit((unsigned char)*s) &&
		    sscanf(s, "%9u-%9u-%9u-tp%9u", &part[0], &part[1], &part[2],
			   &part[3]) >= 3)
			return 1;
		while (isdigit((unsigned char)*s) &&
		       isdigit((unsigned char)s[1]))
			s++;
	}
	return 0;
}

static void find_slot(const struct checked_table *c,
		      const struct kernel_axis *a, struct slot *s)
{
	int at = find_numbers(&c->t, a->name, a->other_name);
	s->name = a->name;
	s->col = at >= 0 ? c->t.col[at] : NULL;
	s->constant = 1;
}

/* Finds the columns of the kind's keys and axes.  Returns the name of a column
 * that is needed and missing, or NULL. */
static const char *find_slots(struct checked_table *c)
{
	static const enum kernel_column in_name[] = {
	    KERNEL_HEADS, KERNEL_KV_HEADS, KERNEL_HEAD_DIM, KERNEL_TP};
	unsigned part[4] = {0};
	int named = numbers_of_name(c->path, part);
	const char *missing = NULL;
	for (int i = 0; i < KERNEL_COLUMNS; i++)
		c->size[i].constant = 1;
	for (int i = 0; named && i < 4; i++)
		c->size[in_name[i]].constant = part[i];
	for (int pass = 0; pass < 2; pass++)
		for (const struct kernel_axis *a = pass ? c->kind->axis
							: c->kind->key;
		     a->name; a++) {
			struct slot s = {0};
			if (a->is & KERNEL_WORDS)
				continue;
			find_slot(c, a, &s);
			int may_be_named = a->column == KERNEL_HEADS ||
					   a->column == KERNEL_KV_HEADS ||
					   a->column == KERNEL_HEAD_DIM;
			if (!s.col && a->is & KERNEL_NEEDED &&
			    !(named && may_be_named))
				missing = a->name;
			if (a->column < KERNEL_COLUMNS && s.col)
				c->size[a->column] = s;
			if (pass)
				c->axis[a - c->kind->axis] = s;
		}
	return missing;
}

/* Returns 1 if the column is an axis, under either of its names. */
static int is_axis(const struct kernel_op *kind, const char *column)
{
	for (const struct kernel_axis *a = kind->axis; a->name; a++)
		if (!strcmp(a->name, column) ||
		    (a->other_name && !strcmp(a->other_name, column)))
			return 1;
	return 0;
}

static int find_keys(struct checked_table *c)
{
	c->key = calloc(c->t.view.n_cols, sizeof *c->key);
	for (uint32_t i = 0; c->key && i < c->t.view.n_cols; i++)
		if (!is_axis(c->kind, c->t.head[i]) &&
		    !kernel_column_is_measure(c->t.head[i]))
			c->key[c->n_keys++] = i;
	return c->key ? 0 : -1;
}

/* Computes the time of each row: latency_us, or the sum of all parts.  Returns
 * 0, -1 if memory is out, or 1 if there is no time. */
static int add_times(struct checked_table *c)
{
	int at[2] = {table_column(&c->t, "latency_us"), -1}, n = 1;
	for (int i = 0; c->kind->part[0][0] && at[0] < 0 && i < 2; i++, n = i)
		at[i] = find_numbers(&c->t, c->kind->part[i][0],
				     c->kind->part[i][1]);
	if (at[0] < 0 || (n > 1 && at[1] < 0))
		return 1;
	c->latency = calloc(c->t.view.n_rows, sizeof *c->latency);
	for (uint64_t r = 0; c->latency && r < c->t.view.n_rows; r++)
		for (int i = 0; i < n; i++)
			c->latency[r] += c->t.col[at[i]][r];
	return c->latency ? 0 : -1;
}

/* In a table of an unknown kind every column that is no result is a key. */
static const struct kernel_op unknown_kind = {.table = "unknown"};

static const struct kernel_op *take_for_unknown(const struct checked_table *c)
{
	if (table_column(&c->t, "latency_us") < 0)
		return NULL;
	checked_tell(c, -1, "unknown_kind", 0,
		     "of an unknown kind: only repeated rows are checked");
	return &unknown_kind;
}

static int find_columns(struct checked_table *c, const struct table_file *of,
			struct problem *p)
{
	int dtype = table_column(&c->t, "dtype");
	int mfu = find_numbers(&c->t, "mfu", NULL);
	c->kind = kind_of(&c->t, of);
	if (!c->kind)
		c->kind = take_for_unknown(c);
	c->mfu = mfu >= 0 ? c->t.col[mfu] : NULL;
	c->dtype = dtype >= 0 ? c->t.text[dtype] : NULL;
	if (!c->kind)
		return problem_set(p, EXIT_INPUT,
				   "%s:1: not a table of a known kind: neither "
				   "its name nor its columns are known",
				   c->path);
	int rc = add_times(c);
	if (rc > 0)
		return problem_set(p, EXIT_INPUT,
				   "%s:1: a table of %s needs latency_us",
				   c->path, c->kind->table);
	if (rc < 0 || find_keys(c) < 0)
		return problem_no_memory(p);
	const char *missing = find_slots(c);
	if (missing)
		return problem_set(p, EXIT_INPUT,
				   "%s:1: a table of %s needs %s, as a column "
				   "or in its name (32-8-128-tp1.csv)",
				   c->path, c->kind->table, missing);
	return 0;
}

double checked_value(const struct slot *s, uint64_t row)
{
	return s->col ? s->col[row] : s->constant;
}

static int compare_cells(const struct table *t, uint32_t column, uint64_t a,
			 uint64_t b)
{
	if (t->text[column]) {
		const char *x = t->text[column][a], *y = t->text[column][b];
		return x == y ? 0 : strcmp(x, y);
	}
	double x = t->col[column][a], y = t->col[column][b];
	return (x > y) - (x < y);
}

int checked_compare_keys_but(const struct checked_table *c, uint32_t column,
			     uint64_t a, uint64_t b)
{
	int d = 0;
	for (uint32_t i = 0; d == 0 && i < c->n_keys; i++)
		if (c->key[i] != column)
			d = compare_cells(&c->t, c->key[i], a, b);
	return d;
}

int checked_compare_keys(const struct checked_table *c, uint64_t a, uint64_t b)
{
	return checked_compare_keys_but(c, UINT32_MAX, a, b);
}

int checked_compare(const struct checked_table *c, uint64_t a, uint64_t b,
		    int first)
{
	int d = checked_compare_keys(c, a, b);
	for (int i = 0; d == 0 && i < KERNEL_MAX_AXES; i++) {
		const struct slot *axis = &c->axis[i ^ first];
		double x = checked_value(axis, a), y = checked_value(axis, b);
		d = (x > y) - (x < y);
	}
	return d;
}

static int by_axis_0(const void *a, const void *b, void *c)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	int d = checked_compare(c, x, y, 0);
	return d ? d : (x > y) - (x < y);
}

static int by_axis_1(const void *a, const void *b, void *c)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	int d = checked_compare(c, x, y, 1);
	return d ? d : (x > y) - (x < y);
}

uint64_t *checked_order(const struct checked_table *c, int first)
{
	uint64_t *order = calloc(c->t.view.n_rows, sizeof *order);
	for (uint64_t r = 0; order && r < c->t.view.n_rows; r++)
		order[r] = r;
	if (order)
		qsort_r(order, c->t.view.n_rows, sizeof *order,
			first ? by_axis_1 : by_axis_0, (void *)c);
	return order;
}

int checked_table_open(struct checked_table *c, const char *path,
		       const struct table_file *of, finding_fn tell, void *user,
		       struct problem *p)
{
	*c = (struct checked_table){.path = path, .tell = tell, .user = user};
	FILE *f = infile_open(path, p);
	if (!f)
		return -1;
	int rc = table_read(&c->t, f, path, of ? of->columns : NULL, p);
	fclose(f);
	return rc < 0 ? -1 : find_columns(c, of, p);
}

void checked_table_close(struct checked_table *c)
{
	free(c->key);
	free(c->latency);
	table_free(&c->t);
}
