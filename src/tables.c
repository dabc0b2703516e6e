#include <config.h>
#include "tables.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "csvtext.h"

static const char no_memory[] = "out of memory";

static const char *on_header(struct bench_table *t, uint32_t n,
			     char *const *cell)
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

/* The first row says what a column holds: a cell that starts with a letter
 * and is no number makes it words. */
static int is_word(const char *s)
{
	char *end;
	strtod(s, &end);
	return end == s && isalpha((unsigned char)*s);
}

static const char *grow(struct bench_table *t, char *const *first_row)
{
	uint64_t cap = t->cap ? 2 * t->cap : 64;
	for (uint32_t i = 0; i < t->view.n_cols; i++) {
		if (t->cap ? t->text[i] != NULL : is_word(first_row[i])) {
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
	struct bench_table *t = user;
	if (row == 0)
		return on_header(t, n, cell);
	uint64_t r = row - 1;
	const char *why = r == t->cap ? grow(t, cell) : NULL;
	if (why)
		return why;
	for (uint32_t i = 0; i < n; i++)
		if (t->text[i])
			t->text[i][r] = NULL;
	t->view.n_rows = row; /* from here bench_table_free() sees the row */
	for (uint32_t i = 0; i < n; i++) {
		if (t->text[i]) {
			if (!(t->text[i][r] = strdup(cell[i])))
				return no_memory;
			continue;
		}
		char *end;
		double v = strtod(cell[i], &end);
		if (end == cell[i] || *end || !isfinite(v))
			return "not a finite number";
		t->col[i][r] = v;
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

int bench_table_read(struct bench_table *t, FILE *f, const char *origin,
		     struct problem *p)
{
	*t =
	    (struct bench_table){.origin = strdup(origin), .op = op_of(origin)};
	int rc = csv_read(f, origin, on_row, t, p);
	if (rc == 0 && (t->view.n_rows == 0 || !t->origin || !t->op)) {
		problem_set(p, EXIT_INPUT, "%s: %s", origin,
			    t->view.n_rows ? no_memory : "no rows");
		rc = -1;
	}
	if (rc < 0) {
		bench_table_free(t);
		return -1;
	}
	t->view.size = sizeof t->view;
	t->view.op = t->op;
	t->view.origin = t->origin;
	t->view.col_name = (const char *const *)t->head;
	t->view.col = (const double *const *)t->col;
	t->view.text = (const char *const *const *)t->text;
	return 0;
}

void bench_table_free(struct bench_table *t)
{
	for (uint32_t i = 0; i < t->view.n_cols; i++) {
		for (uint64_t r = 0; t->text[i] && r < t->view.n_rows; r++)
			free(t->text[i][r]);
		free(t->head[i]), free(t->col[i]), free(t->text[i]);
	}
	free(t->head), free(t->col), free(t->text);
	free(t->origin), free(t->op);
	*t = (struct bench_table){0};
}

static int read_manifest(struct bench_set *s, const char *folder,
			 struct problem *p)
{
	char *path;
	if (asprintf(&path, "%s/MANIFEST", folder) < 0)
		return -1;
	int rc = 0;
	if (access(path, F_OK) == 0 || errno != ENOENT)
		rc = cfg_load(&s->manifest, path, p);
	if (rc < 0 && p)
		p->code = EXIT_INPUT;
	for (size_t i = 0; rc == 0 && i < s->manifest.n; i++)
		if (s->manifest.item[i].section[0]) {
			problem_set(p, EXIT_INPUT,
				    "%s: sections have no place here",
				    s->manifest.item[i].at);
			rc = -1;
		}
	free(path);
	if (rc < 0)
		return -1;
	s->note = calloc(2 * s->manifest.n + 1, sizeof *s->note);
	for (size_t i = 0; s->note && i < s->manifest.n; i++) {
		s->note[2 * i] = s->manifest.item[i].key;
		s->note[2 * i + 1] = s->manifest.item[i].value;
	}
	return s->note ? 0 : -1;
}

static int read_table(struct bench_set *s, const char *folder, const char *file,
		      struct problem *p)
{
	struct bench_table *t = &s->table[s->n];
	char *path;
	if (asprintf(&path, "%s/%s", folder, file) < 0)
		return -1;
	FILE *f = fopen(path, "r");
	int rc = -1;
	if (f) {
		rc = bench_table_read(t, f, path, p);
		fclose(f);
	} else {
		problem_set(p, EXIT_INPUT, "%s: %s", path, strerror(errno));
	}
	free(path);
	if (rc < 0)
		return -1;
	t->view.set = s->name;
	t->view.n_notes = (uint32_t)s->manifest.n;
	t->view.note = s->note;
	s->view[s->n++] = &t->view;
	return 0;
}

static int is_csv(const struct dirent *d)
{
	size_t n = strlen(d->d_name);
	return n > 4 && d->d_name[0] != '.' &&
	       !strcmp(d->d_name + n - 4, ".csv");
}

int bench_load(struct bench_set *s, const char *path, const char *name,
	       struct problem *p)
{
	struct dirent **file = NULL;
	char *folder = NULL;
	int rc = -1, n = 0;

	*s = (struct bench_set){.name = strdup(name)};
	problem_set(p, EXIT_INPUT, "%s", no_memory);
	if (!s->name || asprintf(&folder, "%s/%s", path, name) < 0) {
		folder = NULL;
		goto out;
	}
	n = scandir(folder, &file, is_csv, alphasort);
	if (n <= 0) {
		problem_set(p, EXIT_USAGE, "%s: %s", folder,
			    n ? strerror(errno) : "no .csv file");
		goto out;
	}
	s->table = calloc((size_t)n, sizeof *s->table);
	s->view = calloc((size_t)n, sizeof *s->view);
	if (!s->table || !s->view)
		goto out;
	rc = read_manifest(s, folder, p);
	for (int i = 0; rc == 0 && i < n; i++)
		rc = read_table(s, folder, file[i]->d_name, p);
out:
	for (int i = 0; i < n; i++)
		free(file[i]);
	free(file), free(folder);
	if (rc == 0)
		return 0;
	bench_free(s);
	return -1;
}

void bench_free(struct bench_set *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		bench_table_free(&s->table[i]);
	free(s->table), free(s->view), free(s->note), free(s->name);
	cfg_free(&s->manifest);
	*s = (struct bench_set){0};
}
