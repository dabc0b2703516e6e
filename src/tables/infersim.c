/* infersim.c -- Reads InferSim's folders as tables. */
#include <config.h>
#include "tables/infersim.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
		rc = table_set_read(s, &of->table, path, name, p);
	of->dtype = rc < 0 ? -1 : table_column(&of->table, "dtype");
	of->mfu = rc < 0 ? -1 : table_column(&of->table, "mfu");
	for (int i = 0; rc == 0 && i < 5 && l->from[i]; i++) {
		of->column[i] = table_column(&of->table, l->from[i]);
		if (of->column[i] < 0 || of->table.text[of->column[i]])
			rc =
			    problem_set(p, EXIT_INPUT,
					"%s/%s:1: needs a column %s of numbers",
					path, name, l->from[i]);
	}
	free(name);
	return rc;
}

/* The columns that all files of a folder have in common. */
struct common {
	int dtype, mfu; /* are among them */
	uint32_t n;
	const char *name[12];
};

static struct common common_columns(const struct layout *l,
				    const struct source *of, int n)
{
	struct common c = {.mfu = 1};
	for (int i = 0; i < n; i++) {
		c.dtype |= of[i].dtype >= 0;
		c.mfu &= of[i].mfu >= 0 && of[i].table.col[of[i].mfu] != NULL;
	}
	if (c.dtype)
		c.name[c.n++] = "dtype";
	for (int i = 0; i < 5 && l->key[i]; i++)
		c.name[c.n++] = l->key[i];
	for (int i = 0; i < 5 && l->to[i]; i++)
		c.name[c.n++] = l->to[i];
	if (c.mfu)
		c.name[c.n++] = "mfu";
	return c;
}

static int append_rows(struct table *to, const struct layout *l,
		       const struct common *c, const struct source *of)
{
	const struct table *t = &of->table;
	for (uint64_t r = 0; r < t->view.n_rows; r++) {
		struct table_cell cell[12] = {0};
		uint32_t n = 0;
		if (c->dtype)
			cell[n++].words =
			    of->dtype >= 0 ? t->text[of->dtype][r] : "unknown";
		for (int i = 0; i < 5 && l->key[i]; i++)
			cell[n++].number = of->part[i];
		for (int i = 0; i < 5 && l->from[i]; i++)
			cell[n++].number = t->col[of->column[i]][r];
		if (c->mfu)
			cell[n++].number = t->col[of->mfu][r];
		if (table_append(to, to->view.n_rows + 2, cell) < 0)
			return -1;
	}
	return 0;
}

static int merge(struct table_set *s, const struct layout *l,
		 const struct source *of, int n, const char *path,
		 struct problem *p)
{
	struct common c = common_columns(l, of, n);
	struct table t = {.op = strdup(l->op)};
	int bad = asprintf(&t.origin, "%s/%s/%s", path, l->folder, s->name) < 0;
	if (bad)
		t.origin = NULL;
	bad |= !t.op || table_set_columns(&t, c.n, c.name) != NULL;
	for (int i = 0; i < n && !bad; i++)
		bad = append_rows(&t, l, &c, &of[i]) < 0;
	if (bad) {
		table_free(&t);
		return problem_set(p, EXIT_INPUT, "out of memory");
	}
	table_show(&t);
	return table_set_take(s, &t, p);
}

/* 1: one more table; 0: there is no such file; -1: *p. */
static int load(struct table_set *s, const struct layout *l, const char *path,
		struct problem *p)
{
	struct dirent **file = NULL;
	char *folder;
	int rc = 0;
	if (asprintf(&folder, "%s/%s/%s", path, l->folder, s->name) < 0)
		return problem_set(p, EXIT_INPUT, "out of memory");
	int n = scandir(folder, &file, table_set_is_file, alphasort);
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
	return rc < 0 ? -1 : n > 0;
}

int infersim_load(struct table_set *s, const char *path,
		  const struct table_bad *bad, struct problem *p)
{
	int found = 0;
	for (int i = 0; i < N_LAYOUTS; i++) {
		int n = load(s, &layout[i], path, p);
		if (table_bad_tell(bad, n < 0 ? -1 : 0, p) < 0)
			return -1;
		found |= n != 0;
	}
	return found ? 0
		     : problem_set(p, EXIT_USAGE, "%s: no .csv file for %s",
				   path, s->name);
}
