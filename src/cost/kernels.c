/* kernels.c -- Reads a CSV of single kernels. */
#include <config.h>
#include "cost/kernels.h"
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"
#include "stepcost/format.h"

enum {
	OP,
	DTYPE,
	M,
	N,
	K,
	HEADS,
	KV_HEADS,
	HEAD_DIM,
	TP,
	BATCH,
	NEW_TOKENS,
	CONTEXT,
	MESSAGE_BYTES
};
const char *const kernels_column[KERNEL_COLUMNS] = {
    "op",           "dtype",    "m",  "n",     "k",          "heads",
    "kv_heads",     "head_dim", "tp", "batch", "new_tokens", "context",
    "message_bytes"};

static const struct op {
	const char *name;
	uint32_t op;
	uint32_t needs; /* bits 1 << column */
	uint32_t may;
} op[] = {
    {"gemm", SC_OP_GEMM, 1u << M | 1u << N | 1u << K, 0},
    {"attention_prefill", SC_OP_PREFILL,
     1u << HEADS | 1u << KV_HEADS | 1u << HEAD_DIM | 1u << NEW_TOKENS,
     1u << TP | 1u << BATCH | 1u << CONTEXT},
    {"attention_decode", SC_OP_DECODE,
     1u << HEADS | 1u << KV_HEADS | 1u << HEAD_DIM | 1u << CONTEXT,
     1u << TP | 1u << BATCH},
    {"all_reduce", SC_OP_ALL_REDUCE, 1u << TP | 1u << MESSAGE_BYTES, 0},
};
enum { N_OPS = sizeof op / sizeof *op };

struct reader {
	struct kernels *s;
	int at[KERNEL_COLUMNS]; /* where a column stands, -1: absent */
	char why[200];
};

static const char *on_header(struct reader *r, uint32_t n, char *const *cell)
{
	static const char columns[] =
	    "columns are op,dtype,m,n,k,heads,kv_heads,head_dim,tp,batch,"
	    "new_tokens,context,message_bytes, each once";
	for (int c = 0; c < KERNEL_COLUMNS; c++)
		r->at[c] = -1;
	for (uint32_t i = 0; i < n; i++) {
		int c = 0;
		while (c < KERNEL_COLUMNS && strcmp(kernels_column[c], cell[i]))
			c++;
		if (c == KERNEL_COLUMNS || r->at[c] >= 0)
			return columns;
		r->at[c] = (int)i;
	}
	return r->at[OP] < 0 ? columns : NULL;
}

static const char *fault(struct reader *r, int column, const char *what)
{
	snprintf(r->why, sizeof r->why, "%s %s", kernels_column[column], what);
	return r->why;
}

/* A whole number of up to 2^53, which doubles still tell apart. */
static int whole(const char *s, uint64_t *v)
{
	char *end;
	if (*s < '0' || *s > '9')
		return -1;
	*v = strtoull(s, &end, 10);
	return *end || *v > 1ull << 53 ? -1 : 0;
}

static const char *read_numbers(struct reader *r, const struct op *o,
				char *const *cell, uint64_t v[KERNEL_COLUMNS])
{
	v[TP] = v[BATCH] = 1;
	for (int c = M; c < KERNEL_COLUMNS; c++) {
		const char *s = cell[c];
		uint32_t bit = 1u << c;
		int may_be_0 = c == CONTEXT || c == KV_HEADS;
		if (!*s && (o->needs & bit))
			return fault(r, c, "is needed");
		if (!*s)
			continue;
		if (!((o->needs | o->may) & bit))
			return fault(r, c, "is not of this op: leave it empty");
		if (whole(s, &v[c]) < 0 || (v[c] == 0 && !may_be_0) ||
		    (c >= HEADS && c <= TP && v[c] > UINT32_MAX))
			return fault(r, c, "is not a whole number above 0");
	}
	return NULL;
}

static const char *parse(struct reader *r, char *const *cell, sc_kernel *k)
{
	uint64_t v[KERNEL_COLUMNS] = {0};
	uint32_t format = SC_BF16;
	char known[128];
	int i = 0;
	while (i < N_OPS && strcmp(op[i].name, cell[OP]))
		i++;
	if (i == N_OPS)
		return "op is gemm, attention_prefill, attention_decode or "
		       "all_reduce";
	if (*cell[DTYPE] && !(format = sc_format_named(cell[DTYPE]))) {
		snprintf(r->why, sizeof r->why, "dtype is none of %s",
			 sc_format_names(known, sizeof known));
		return r->why;
	}
	const char *why = read_numbers(r, &op[i], cell, v);
	*k = (sc_kernel){.size = sizeof *k,
			 .op = op[i].op,
			 .format = format,
			 .heads = (uint32_t)v[HEADS],
			 .kv_heads = (uint32_t)v[KV_HEADS],
			 .head_dim = (uint32_t)v[HEAD_DIM],
			 .ranks = (uint32_t)v[TP],
			 .m = v[M],
			 .n = v[N],
			 .k = v[K],
			 .batch = v[BATCH],
			 .new_tokens = v[NEW_TOKENS],
			 .context = v[CONTEXT],
			 .bytes = v[MESSAGE_BYTES]};
	return why;
}

static void free_point(struct kernel_row *p)
{
	for (int c = 0; c < KERNEL_COLUMNS; c++)
		free(p->cell[c]);
}

static const char *on_row(void *user, uint64_t row, uint32_t n,
			  char *const *cell)
{
	struct reader *r = user;
	struct kernels *s = r->s;
	if (row == 0)
		return on_header(r, n, cell);
	if (s->n == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 64;
		struct kernel_row *item = realloc(s->item, cap * sizeof *item);
		if (!item)
			return "out of memory";
		s->item = item;
		s->cap = cap;
	}
	struct kernel_row p = {0};
	int copied = 1;
	for (int c = 0; c < KERNEL_COLUMNS; c++) {
		p.cell[c] = strdup(r->at[c] < 0 ? "" : cell[r->at[c]]);
		copied &= p.cell[c] != NULL;
	}
	const char *why =
	    copied ? parse(r, p.cell, &p.kernel) : "out of memory";
	if (why)
		free_point(&p);
	else
		s->item[s->n++] = p;
	return why;
}

int kernels_read(struct kernels *s, FILE *f, const char *origin,
		 struct problem *p)
{
	struct reader r = {.s = s};
	*s = (struct kernels){0};
	if (csv_read(f, origin, on_row, &r, p) == 0)
		return 0;
	kernels_free(s);
	return -1;
}

void kernels_free(struct kernels *s)
{
	for (size_t i = 0; i < s->n; i++)
		free_point(&s->item[i]);
	free(s->item);
	*s = (struct kernels){0};
}
