/* table_csv.c -- Reads a table from CSV. */
#include <config.h>
#include "tables/table_csv.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"
#include "tables/kind.h"
#include "stepcost/format.h"

static const char no_memory[] = "out of memory";

struct reading {
	struct table *t;
	uint64_t line;           /* being read */
	struct table_cell *cell; /* [n_cols] of a row */
	char why[160];           /* room for what is wrong with it */
};

/* Of a column that is not known by its name the first row says what it holds:
 * a cell that starts with a letter and is no number makes it words. */
static int is_words(const char *column, const char *first)
{
	char *end;
	if (table_is_count(column) || table_is_measure(column))
		return 0;
	strtod(first, &end);
	return !strcmp(column, "dtype") ||
	       (end == first && isalpha((unsigned char)*first));
}

static const char *read_number(const char *column, const char *cell, double *v)
{
	char *end;
	*v = strtod(cell, &end);
	if (end == cell || *end || !isfinite(*v))
		return "not a finite number";
	if (*v < 0)
		return "a negative number";
	if (*v != floor(*v) && table_is_count(column))
		return "not a whole number";
	return *v == 0 && !strcmp(column, "latency_us") ? "latency_us is 0"
							: NULL;
}

/* A dtype is a number format, or "unknown" where the layout has no place for
 * it. */
static const char *read_words(struct reading *r, const char *column,
			      const char *cell)
{
	char known[128];
	if (strcmp(column, "dtype") || sc_format_named(cell) ||
	    !strcmp(cell, "unknown"))
		return NULL;
	snprintf(r->why, sizeof r->why, "dtype is none of %s",
		 sc_format_names(known, sizeof known));
	return r->why;
}

static const char *on_table_row(void *user, uint64_t row, uint32_t n,
				char *const *cell)
{
	struct reading *r = user;
	struct table *t = r->t;
	const char *why = NULL;
	if (row == 0) {
		r->cell = calloc(n, sizeof *r->cell);
		return r->cell
			   ? table_set_columns(t, n, (const char *const *)cell)
			   : no_memory;
	}
	for (uint32_t i = 0; !why && i < n; i++) {
		const char *column = t->head[i];
		int words =
		    row > 1 ? t->text[i] != NULL : is_words(column, cell[i]);
		r->cell[i].words = words ? cell[i] : NULL;
		why = words ? read_words(r, column, cell[i])
			    : read_number(column, cell[i], &r->cell[i].number);
	}
	if (!why && table_append(t, r->line, r->cell) < 0)
		why = no_memory;
	return why;
}

/* "a/b/gemm.csv" -> "gemm" */
static char *op_of(const char *origin)
{
	const char *name = strrchr(origin, '/');
	name = name ? name + 1 : origin;
	const char *dot = strrchr(name, '.');
	return strndup(name, dot ? (size_t)(dot - name) : strlen(name));
}

int table_read(struct table *t, FILE *f, const char *origin, struct problem *p)
{
	struct reading r = {.t = t};
	*t = (struct table){.origin = strdup(origin), .op = op_of(origin)};
	int rc = csv_read_lines(f, origin, on_table_row, &r, &r.line, p);
	free(r.cell);
	if (rc == 0 && (t->view.n_rows == 0 || !t->origin || !t->op))
		rc = problem_set(p, EXIT_INPUT, "%s:1: %s", origin,
				 t->view.n_rows ? no_memory : "no rows");
	if (rc < 0)
		table_free(t);
	else
		table_show(t);
	return rc;
}
