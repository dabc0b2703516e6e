/* infersim.c -- Reads the folders of InferSim as tables. */
#include "tables/infersim.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/folder.h"

/* Which rows of a folder's files a table takes, by the format of the KV cache.
 */
enum kv {
	KV_NOT_SAID, /* all rows; the files do not name a format */
	KV_16_BIT,   /* rows of 16 bits, and rows without a format */
	KV_8_BIT,    /* rows of 8 bits; the table has a column kv_dtype */
	KV_COLUMN    /* all rows; the table has a column kv_dtype */
};
enum { MAX_KEYS = 5, MAX_COLUMNS = 13, MAX_TABLES = 2, MAX_CELLS = 20 };

/* How the files of a folder become tables. */
static const struct layout {
	const char *folder;
	struct {
		const char *op;
		enum kv kv;
	} table[MAX_TABLES];
	/* Meaning of the numbers in a file's name; keys without a number are
	 * 1.  Ends with NULL. */
	const char *key[MAX_KEYS];
	int n_in_name;     /* how many numbers; a tp may follow */
	const char *dtype; /* for rows without one, and for "fp8" */
	/* Columns of the file, and their names in the table. */
	const char *from[MAX_KEYS + 6], *to[MAX_KEYS + 6];
	const char *columns[MAX_COLUMNS]; /* for a file without a header */
} layout[] = {
    {.folder = "mha/decode",
     .table = {{"attention_decode", KV_16_BIT},
	       {"attention_decode_more", KV_8_BIT}},
     .key = {"model_heads", "model_kv_heads", "head_dim", "tp"},
     .n_in_name = 3,
     .from = {"batch_size", "kv_len", "latency_us"},
     .to = {"batch", "kv_len", "latency_us"},
     .columns = {"dtype", "kv_dtype", "batch_size", "kv_len", "latency_us",
		 "mfu"}},
    {.folder = "mha/prefill",
     .table = {{"attention_prefill", KV_NOT_SAID}},
     .key = {"heads", "kv_heads", "head_dim", "batch"},
     .n_in_name = 3,
     .from = {"seq_len", "latency_us"},
     .to = {"seq_len", "latency_us"},
     .columns = {"dtype", "seq_len", "latency_us", "mfu"}},
    {.folder = "gemm",
     .table = {{"gemm", KV_NOT_SAID}},
     .dtype = "fp8_block",
     .from = {"m", "n", "k", "latency_us"},
     .to = {"m", "n", "k", "latency_us"},
     .columns = {"m", "k", "n", "latency_us", "mfu"}},
#define GROUPED(phase, tokens)                                                 \
	{                                                                      \
		.folder = "grouped_gemm/" phase,                               \
		.table = {{"grouped_gemm_" phase, KV_NOT_SAID}},               \
		.dtype = "fp8_block",                                          \
		.from =                                                        \
		    {"num_experts", "num_gpus",          "num_local_experts",  \
		     "topk",        "hidden_size",       "intermediate_size",  \
		     tokens,        "tokens_per_expert", "up_proj_us",         \
		     "down_proj_us"},                                          \
		.to = {"experts",         "ranks",                             \
		       "local_experts",   "topk",                              \
		       "hidden",          "inter",                             \
		       "tokens_per_rank", "tokens_per_expert",                 \
		       "up_us",           "down_us"},                          \
		.columns = {                                                   \
		    "num_experts", "num_gpus",          "num_local_experts",   \
		    "topk",        "hidden_size",       "intermediate_size",   \
		    tokens,        "tokens_per_expert", "up_proj_us",          \
		    "up_mfu",      "down_proj_us",      "down_mfu"},           \
	}
    GROUPED("decode", "batch_size_per_gpu"),
    GROUPED("prefill", "seq_len_per_gpu"),
    /* Files are called HEADS-LORA-ROPE, with the heads of one rank. */
    {.folder = "mla/decode",
     .table = {{"mla_decode", KV_COLUMN}},
     .key = {"heads"},
     .n_in_name = 3,
     .from = {"batch_size", "kv_len", "latency_us"},
     .to = {"batch", "kv_len", "latency_us"},
     .columns = {"dtype", "kv_dtype", "batch_size", "kv_len", "latency_us",
		 "mfu"}},
    /* Files are called HEADS-NOPE-ROPE. */
    {.folder = "mla/prefill",
     .table = {{"mla_prefill", KV_NOT_SAID}},
     .key = {"heads", NULL},
     .n_in_name = 3,
     .from = {"seq_len", "latency_us"},
     .to = {"seq_len", "latency_us"},
     .columns = {"dtype", "seq_len", "latency_us", "mfu"}},
};
enum { N_LAYOUTS = sizeof layout / sizeof *layout };

const char *infersim_folder(int i)
{
	return i < N_LAYOUTS ? layout[i].folder : NULL;
}

/* ---- a file ---- */

struct source {
	struct table table;
	unsigned part[4];         /* numbers in its name */
	int column[MAX_KEYS + 6]; /* places of the layout's `from` */
	int dtype, kv, mfu;       /* places of these columns; -1: absent */
};

/* Reads the numbers of a file's name: "32-8-128-tp1.csv" or "32-8-128.csv".
 * Returns 0, or -1 if the name is another one. */
static int read_name(const struct layout *l, const char *file, unsigned part[4])
{
	char again[100];
	for (int i = 0; i < 4; i++)
		part[i] = 1;
	if (l->n_in_name == 0)
		return 0;
	int n = sscanf(file, "%9u-%9u-%9u-tp%9u", &part[0], &part[1], &part[2],
		       &part[3]);
	if (n == 4 && l->key[3] && !strcmp(l->key[3], "tp"))
		snprintf(again, sizeof again, "%u-%u-%u-tp%u.csv", part[0],
			 part[1], part[2], part[3]);
	else
		snprintf(again, sizeof again, "%u-%u-%u.csv", part[0], part[1],
			 part[2]);
	return strcmp(again, file) ? -1 : 0;
}

static int find_columns(struct source *of, const struct layout *l,
			struct problem *p)
{
	const struct table *t = &of->table;
	/* These columns may be absent; the others hold numbers. */
	of->dtype = table_column(t, "dtype");
	of->kv = table_column(t, "kv_dtype");
	of->mfu = table_column(t, "mfu");
	for (int i = 0; l->from[i]; i++) {
		of->column[i] = table_column(t, l->from[i]);
		if (of->column[i] < 0)
			return problem_set(p, EXIT_INPUT,
					   "%s:1: needs a column %s of numbers",
					   t->origin, l->from[i]);
	}
	return 0;
}

static int read_source(struct table_set *s, const struct layout *l,
		       struct source *of, const char *path, const char *file,
		       struct problem *p)
{
	struct table_file is = {.op = l->table[0].op, .columns = l->columns};
	if (asprintf(&is.name, "%s/%s/%s", l->folder, s->name, file) < 0)
		return problem_no_memory(p);
	int rc = read_name(l, file, of->part);
	if (rc < 0)
		problem_set(p, EXIT_INPUT, "%s/%s: a file here is called %s",
			    path, is.name,
			    !strcmp(l->key[0], "model_heads")
				? "HEADS-KVHEADS-DIM.csv, or with -tpN"
				: "HEADS-KVHEADS-DIM.csv");
	else
		rc = table_set_read(s, &of->table, path, &is, p);
	free(is.name);
	return rc ? rc : find_columns(of, l, p);
}

/* ---- one table from all files ---- */

/* The columns of a table: those that all its files share. */
struct common {
	int dtype, kv, mfu; /* 1: the column is among them */
	uint32_t n;
	const char *name[MAX_CELLS];
};

static struct common common_columns(const struct layout *l, enum kv kv,
				    const struct source *of, int n)
{
	struct common c = {.dtype = l->dtype != NULL,
			   .kv = kv == KV_8_BIT || kv == KV_COLUMN,
			   .mfu = 1};
	for (int i = 0; i < n; i++) {
		c.dtype |= of[i].dtype >= 0;
		c.mfu &= of[i].mfu >= 0;
	}
	if (c.dtype)
		c.name[c.n++] = "dtype";
	if (c.kv)
		c.name[c.n++] = "kv_dtype";
	for (int i = 0; l->key[i]; i++)
		c.name[c.n++] = l->key[i];
	for (int i = 0; l->to[i]; i++)
		c.name[c.n++] = l->to[i];
	if (c.mfu)
		c.name[c.n++] = "mfu";
	return c;
}

/* InferSim calls its block-scaled GEMMs fp8. */
static const char *dtype_of(const struct layout *l, const struct source *of,
			    uint64_t row)
{
	const char *said =
	    of->dtype >= 0 ? of->table.text[of->dtype][row] : NULL;
	if (l->dtype && (!said || !strcmp(said, "fp8")))
		return l->dtype;
	return said ? said : "unknown";
}

static const char *kv_of(const struct source *of, uint64_t row)
{
	return of->kv >= 0 ? of->table.text[of->kv][row] : "bf16";
}

static int takes(enum kv kv, const struct source *of, uint64_t row)
{
	int small = !strcmp(kv_of(of, row), "fp8");
	return kv == KV_16_BIT ? !small : kv == KV_8_BIT ? small : 1;
}

static int append_rows(struct table *to, const struct layout *l, enum kv kv,
		       const struct common *c, const struct source *of)
{
	const struct table *t = &of->table;
	for (uint64_t r = 0; r < t->view.n_rows; r++) {
		struct table_cell cell[MAX_CELLS] = {0};
		uint32_t n = 0;
		if (!takes(kv, of, r))
			continue;
		if (c->dtype)
			cell[n++].words = dtype_of(l, of, r);
		if (c->kv)
			cell[n++].words = kv_of(of, r);
		for (int i = 0; l->key[i]; i++)
			cell[n++].number = of->part[i];
		for (int i = 0; l->from[i]; i++)
			cell[n++].number = t->col[of->column[i]][r];
		if (c->mfu)
			cell[n++].number = t->col[of->mfu][r];
		if (table_append(to, to->view.n_rows + 2, cell) < 0)
			return -1;
	}
	return 0;
}

/* Makes one of a folder's tables, unless it would have no row. */
static int merge(struct table_set *s, const struct layout *l, int which,
		 const struct source *of, int n, const char *path,
		 struct problem *p)
{
	enum kv kv = l->table[which].kv;
	struct common c = common_columns(l, kv, of, n);
	struct table t = {.op = strdup(l->table[which].op)};
	int bad = asprintf(&t.origin, "%s/%s/%s", path, l->folder, s->name) < 0;
	if (bad)
		t.origin = NULL;
	bad |= !t.op || table_set_columns(&t, c.n, c.name) != NULL;
	for (int i = 0; i < n && !bad; i++)
		bad = append_rows(&t, l, kv, &c, &of[i]) < 0;
	if (bad || t.view.n_rows == 0) {
		table_free(&t);
		return bad ? problem_no_memory(p) : 0;
	}
	table_show(&t);
	return table_set_take(s, &t, p);
}

/* Loads a folder's tables.  Returns 1, or 0 if there are no such files; below 0
 * with *p filled in. */
static int load(struct table_set *s, const struct layout *l, const char *path,
		struct problem *p)
{
	struct dirent **file;
	char *folder;
	int rc = 0;
	if (asprintf(&folder, "%s/%s/%s", path, l->folder, s->name) < 0)
		return problem_no_memory(p);
	int n = folder_list(folder, table_set_is_file, &file);
	struct source *of = calloc((size_t)(n > 0 ? n : 1), sizeof *of);
	if (!of)
		rc = problem_no_memory(p);
	for (int i = 0; rc == 0 && i < n; i++)
		rc = read_source(s, l, &of[i], path, file[i]->d_name, p);
	for (int i = 0; rc == 0 && n > 0 && i < MAX_TABLES && l->table[i].op;
	     i++)
		rc = merge(s, l, i, of, n, path, p);
	for (int i = 0; i < n; i++) {
		if (of)
			table_free(&of[i].table);
		free(file[i]);
	}
	free(file), free(of), free(folder);
	return rc < 0 ? rc : n > 0;
}

int infersim_load(struct table_set *s, const char *path,
		  const struct table_bad *bad, struct problem *p)
{
	int found = 0;
	for (int i = 0; i < N_LAYOUTS; i++) {
		int n = load(s, &layout[i], path, p);
		if (table_set_tell(s, bad, n < 0 ? n : 0, p) < 0)
			return -1;
		found |= n != 0;
	}
	return found ? 0
		     : problem_set(p, EXIT_USAGE, "%s: no .csv file for %s",
				   path, s->name);
}
