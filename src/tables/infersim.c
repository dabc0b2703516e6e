/* infersim.c -- Reads InferSim's folders as tables. */
#include <config.h>
#include "tables/infersim.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"

/* How the files of a folder become one table. */
static const struct layout {
	const char *op, *folder;
	const char *key[5]; /* what a file's name says of its rows: numbers */
	int n_in_name;      /* so many of them; those after are 1 */
	const char *from[5], *to[5]; /* columns, and what they become */
} layout[] = {
    {"attention_decode",
     "mha/decode",
     {"model_heads", "model_kv_heads", "head_dim", "tp"},
     4,
     {"batch_size", "kv_len", "latency_us"},
     {"batch", "kv_len", "latency_us"}},
    {"attention_prefill",
     "mha/prefill",
     {"heads", "kv_heads", "head_dim", "batch"},
     3,
     {"seq_len", "latency_us"},
     {"seq_len", "latency_us"}},
    {"gemm",
     "gemm",
     {NULL},
     0,
     {"m", "n", "k", "latency_us"},
     {"m", "n", "k", "latency_us"}},
};
enum { N_LAYOUTS = sizeof layout / sizeof *layout };

struct source {
	struct table table;
	unsigned part[4]; /* of the name */
	int column[5];    /* where the layout's `from` stand */
	int dtype, mfu;   /* the same, -1: absent */
};

static int column(const struct table *t, const char *name)
{
	for (uint32_t i = 0; i < t->view.n_cols; i++)
		if (!strcmp(t->head[i], name))
			return (int)i;
	return -1;
}

/* "32-8-128-tp1.csv" or "32-8-128.csv", to the last character. */
static int read_name(const struct layout *l, const char *file, unsigned part[4])
{
	char again[100];
	for (int i = 0; i < 4; i++)
		part[i] = 1;
	if (l->n_in_name == 0)
		return 0;
	sscanf(file, "%9u-%9u-%9u-tp%9u", &part[0], &part[1], &part[2],
	       &part[3]);
	if (l->n_in_name == 4)
		snprintf(again, sizeof again, "%u-%u-%u-tp%u.csv", part[0],
			 part[1], part[2], part[3]);
	else
		snprintf(again, sizeof again, "%u-%u-%u.csv", part[0], part[1],
			 part[2]);
	return strcmp(again, file) ? -1 : 0;
}

static int read_source(struct table_set *s, const struct layout *l,
		       struct source *of, const char *path, const char *file,
		       struct problem *p)
{
	char *name;
	if (asprintf(&name, "%s/%s/%s", l->folder, s->name, file) < 0)
		return problem_set(p, EXIT_INPUT, "out of memory");
	int rc = read_name(l, file, of->part);
	if (rc < 0)
		problem_set(p, EXIT_INPUT,
			    "%s/%s: a file here is called HEADS-KVHEADS-DIM%s",
			    path, name,
			    l->n_in_name == 4 ? "-tpN.csv" : ".csv");
	else
		rc = set_read_file(s, &of->table, path, name, p);
	of->dtype = rc < 0 ? -1 : column(&of->table, "dtype");
	of->mfu = rc < 0 ? -1 : column(&of->table, "mfu");
	for (int i = 0; rc == 0 && i < 5 && l->from[i]; i++) {
		of->column[i] = column(&of->table, l->from[i]);
		if (of->column[i] < 0 || of->table.text[of->column[i]])
			rc =
			    problem_set(p, EXIT_INPUT,
					"%s/%s:1: needs a column %s of numbers",
					path, name, l->from[i]);
	}
	free(name);
	return rc;
}

static void write_rows(FILE *f, const struct layout *l, const struct source *of,
		       int dtype, int mfu)
{
	const struct table *t = &of->table;
	for (uint64_t r = 0; r < t->view.n_rows; r++) {
		if (dtype)
			fprintf(f, "%s,",
				of->dtype >= 0 && t->text[of->dtype]
				    ? t->text[of->dtype][r]
				    : "unknown");
		for (int i = 0; i < 5 && l->key[i]; i++)
			fprintf(f, "%u,", of->part[i]);
		for (int i = 0; i < 5 && l->from[i]; i++) {
			fputs(i ? "," : "", f);
			csv_number(f, t->col[of->column[i]][r]);
		}
		if (mfu) {
			putc(',', f);
			csv_number(f, t->col[of->mfu][r]);
		}
		putc('\n', f);
	}
}

/* One table of them all, as CSV again. */
static void write_all(FILE *f, const struct layout *l, const struct source *of,
		      int n)
{
	int dtype = 0, mfu = 1;
	for (int i = 0; i < n; i++) {
		dtype |= of[i].dtype >= 0;
		mfu &= of[i].mfu >= 0 && of[i].table.col[of[i].mfu] != NULL;
	}
	if (dtype)
		fputs("dtype,", f);
	for (int i = 0; i < 5 && l->key[i]; i++)
		fprintf(f, "%s,", l->key[i]);
	for (int i = 0; i < 5 && l->to[i]; i++)
		fprintf(f, "%s%s", i ? "," : "", l->to[i]);
	fputs(mfu ? ",mfu\n" : "\n", f);
	for (int i = 0; i < n; i++)
		write_rows(f, l, &of[i], dtype, mfu);
}

static int merge(struct table_set *s, const struct layout *l,
		 const struct source *of, int n, const char *path,
		 struct problem *p)
{
	char *text = NULL, *origin = NULL;
	size_t size = 0;
	int rc = -1;
	FILE *f = open_memstream(&text, &size);
	if (f) {
		write_all(f, l, of, n);
		fclose(f);
	}
	struct table *t = set_new_table(s, p);
	f = size ? fmemopen(text, size, "r") : NULL;
	if (!t || !f ||
	    asprintf(&origin, "%s/%s/%s", path, l->folder, s->name) < 0) {
		problem_set(p, EXIT_INPUT, "out of memory");
		free(t);
	} else if ((rc = table_read(t, f, origin, p)) == 0) {
		free(t->op);
		t->view.op = t->op = strdup(l->op);
		s->n++;
	} else {
		free(t);
	}
	if (f)
		fclose(f);
	free(text), free(origin);
	return rc;
}

static int load(struct table_set *s, const struct layout *l, const char *path,
		struct problem *p)
{
	struct dirent **file = NULL;
	char *folder;
	int rc = 0;
	if (asprintf(&folder, "%s/%s/%s", path, l->folder, s->name) < 0)
		return problem_set(p, EXIT_INPUT, "out of memory");
	int n = scandir(folder, &file, set_is_table, alphasort);
	struct source *of = calloc((size_t)(n > 0 ? n : 1), sizeof *of);
	if (!of)
		rc = problem_set(p, EXIT_INPUT, "out of memory");
	for (int i = 0; rc == 0 && i < n; i++)
		rc = read_source(s, l, &of[i], path, file[i]->d_name, p);
	if (rc == 0 && n > 0)
		rc = merge(s, l, of, n, path, p);
	for (int i = 0; i < n; i++) {
		if (of)
			table_free(&of[i].table);
		free(file[i]);
	}
	free(file), free(of), free(folder);
	return rc;
}

int infersim_load(struct table_set *s, const char *path, struct problem *p)
{
	for (int i = 0; i < N_LAYOUTS; i++)
		if (load(s, &layout[i], path, p) < 0)
			return -1;
	return s->n ? 0
		    : problem_set(p, EXIT_USAGE, "%s: no .csv file for %s",
				  path, s->name);
}
