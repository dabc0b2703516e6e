/* table.c -- one CSV of a set: read, checked, hashed. */
#include <config.h>
#include "tables/table.h"
#include <sys/types.h>
#include <sha2.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"
#include "stepcost/format.h"

static const char no_memory[] = "out of memory";

static const char *on_header(struct table *t, uint32_t n, char *const *cell)
{
	t->head = calloc(n, sizeof *t->head);
	t->col = calloc(n, sizeof *t->col);
	t->text = calloc(n, sizeof *t->text);
	if (!t->head || !t->col || !t->text)
		return no_memory;
	t->view.n_cols = n;
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t j = 0; j < i; j++)
			if (!strcmp(t->head[j], cell[i]))
				return "a column twice";
		if (!(t->head[i] = strdup(cell[i])))
			return no_memory;
	}
	return NULL;
}

static int in_list(const char *const *list, const char *s)
{
	for (; *list; list++)
		if (!strcmp(*list, s))
			return 1;
	return 0;
}

static const char *const counts[] = {"m",          "n",
				     "k",          "heads",
				     "kv_heads",   "model_heads",
				     "head_dim",   "tp",
				     "ranks",      "batch",
				     "kv_len",     "model_kv_heads",
				     "seq_len",    "message_bytes",
				     "batch_size", NULL};
static const char *const measures[] = {"latency_us", "mfu", NULL};

/* "unknown": where the layout has no place for it. */
static const char *check_dtype(struct table *t, const char *cell)
{
	char known[128];
	if (sc_format_named(cell) || !strcmp(cell, "unknown"))
		return NULL;
	snprintf(t->why, sizeof t->why, "dtype is none of %s",
		 sc_format_names(known, sizeof known));
	return t->why;
}

/* Of a column that is not known by its name the first row says what it holds:
 * a cell that starts with a letter and is no number makes it words. */
static int is_words(const char *column, const char *first)
{
	char *end;
	if (in_list(counts, column) || in_list(measures, column))
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
	if (*v != floor(*v) && in_list(counts, column))
		return "not a whole number";
	return *v == 0 && !strcmp(column, "latency_us") ? "latency_us is 0"
							: NULL;
}

static const char *grow(struct table *t, char *const *first_row)
{
	uint64_t cap = t->cap ? 2 * t->cap : 64;
	uint64_t *line = realloc(t->line, cap * sizeof *line);
	if (!line)
		return no_memory;
	t->line = line;
	for (uint32_t i = 0; i < t->view.n_cols; i++) {
		if (t->cap ? t->text[i] != NULL
			   : is_words(t->head[i], first_row[i])) {
			char **w = realloc(t->text[i], cap * sizeof *w);
			if (!w)
				return no_memory;
			t->text[i] = w;
		} else {
			double *d = realloc(t->col[i], cap * sizeof *d);
			if (!d)
				return no_memory;
			t->col[i] = d;
		}
	}
	t->cap = cap;
	return NULL;
}

static const char *on_row(void *user, uint64_t row, uint32_t n,
			  char *const *cell)
{
	struct table *t = user;
	if (row == 0)
		return on_header(t, n, cell);
	uint64_t r = row - 1;
	const char *why = r == t->cap ? grow(t, cell) : NULL;
	if (why)
		return why;
	for (uint32_t i = 0; i < n; i++)
		if (t->text[i])
			t->text[i][r] = NULL;
	t->line[r] = t->at;
	t->view.n_rows = row; /* from here table_free() sees the row */
	for (uint32_t i = 0; i < n; i++) {
		if (t->text[i]) {
			if (!(t->text[i][r] = strdup(cell[i])))
				return no_memory;
			if (!strcmp(t->head[i], "dtype"))
				why = check_dtype(t, cell[i]);
		} else {
			why = read_number(t->head[i], cell[i], &t->col[i][r]);
		}
		if (why)
			return why;
	}
	return NULL;
}

/* "a/b/gemm.csv" -> "gemm" */
static char *op_of(const char *origin)
{
	const char *name = strrchr(origin, '/');
	name = name ? name + 1 : origin;
	const char *dot = strrchr(name, '.');
	return strndup(name, dot ? (size_t)(dot - name) : strlen(name));
}

static void finish_view(struct table *t)
{
	t->view.size = sizeof t->view;
	t->view.op = t->op;
	t->view.origin = t->origin;
	t->view.col_name = (const char *const *)t->head;
	t->view.col = (const double *const *)t->col;
	t->view.text = (const char *const *const *)t->text;
}

int table_read(struct table *t, FILE *f, const char *origin, struct problem *p)
{
	*t = (struct table){.origin = strdup(origin), .op = op_of(origin)};
	int rc = csv_read_lines(f, origin, on_row, t, &t->at, p);
	if (rc == 0 && (t->view.n_rows == 0 || !t->origin || !t->op)) {
		problem_set(p, EXIT_INPUT, "%s:1: %s", origin,
			    t->view.n_rows ? no_memory : "no rows");
		rc = -1;
	}
	if (rc < 0) {
		table_free(t);
		return -1;
	}
	finish_view(t);
	return 0;
}

void table_free(struct table *t)
{
	for (uint32_t i = 0; i < t->view.n_cols; i++) {
		for (uint64_t r = 0; t->text[i] && r < t->view.n_rows; r++)
			free(t->text[i][r]);
		free(t->head[i]), free(t->col[i]), free(t->text[i]);
	}
	free(t->head), free(t->col), free(t->text);
	free(t->origin), free(t->op), free(t->line);
	*t = (struct table){0};
}

static int note_file(struct table_set *s, const char *name, const char *path,
		     struct problem *p)
{
	struct table_file *file =
	    realloc(s->file, (s->n_files + 1) * sizeof *file);
	if (!file)
		return problem_set(p, EXIT_INPUT, "%s", no_memory);
	s->file = file;
	file += s->n_files;
	file->name = strdup(name);
	if (!file->name)
		return problem_set(p, EXIT_INPUT, "%s", no_memory);
	s->n_files++;
	if (!SHA256File(path, file->sha256))
		return problem_set(p, EXIT_INPUT, "%s: %s", path,
				   strerror(errno));
	return 0;
}

static int ends_in(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);
	return n > m && !strcmp(s + n - m, end);
}

/* `name` of the folder; also noted as read. */
int set_read_file(struct table_set *s, struct table *t, const char *path,
		  const char *name, struct problem *p)
{
	char *file;
	if (asprintf(&file, "%s/%s", path, name) < 0)
		return problem_set(p, EXIT_INPUT, "%s", no_memory);
	FILE *f = fopen(file, "r");
	int rc = -1;
	if (!f)
		problem_set(p, EXIT_INPUT, "%s: %s", file, strerror(errno));
	else if (ends_in(name, ".gz"))
		problem_set(p, EXIT_INPUT,
			    "%s:1: compressed; gunzip it, tables are read as "
			    "they are",
			    file);
	else
		rc = table_read(t, f, file, p);
	if (f)
		fclose(f);
	if (rc == 0 && (rc = note_file(s, name, file, p)) < 0)
		table_free(t);
	free(file);
	return rc;
}

int set_is_table(const struct dirent *d)
{
	return d->d_name[0] != '.' &&
	       (ends_in(d->d_name, ".csv") || ends_in(d->d_name, ".csv.gz"));
}

struct table *set_new_table(struct table_set *s, struct problem *p)
{
	struct table *t = NULL;
	struct table **table = realloc(s->table, (s->n + 1) * sizeof *table);
	if (table) {
		s->table = table;
		t = calloc(1, sizeof *t);
		s->table[s->n] = t;
	}
	if (!t)
		problem_set(p, EXIT_INPUT, "%s", no_memory);
	return t;
}
