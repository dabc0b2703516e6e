/* stepcost/kernel/mixer_rows.h -- header-only helper: the rows of tables that
 *belong to one law of mixer_law.h, and their points.
 *
 *	struct sc_mixer_columns c;
 *	if (sc_mixer_columns_of(&c, table))
 *		for (i = 0; i < table->n_rows; i++) {
 *			sc_mixer_key_of(&c, i, &row key);
 *			if (sc_mixer_same_key(&row key, &wanted))
 *				sc_mixer_point_of(&c, i, &point[n++]);
 *		}
 *	n = sc_mixer_deduplicate(point, n);
 *
 * Where several kernels were measured for one place the fastest counts.
 * Allocates nothing; a row key's words are the table's. */
#ifndef SC_MIXER_ROWS_H
#define SC_MIXER_ROWS_H
#include <stdio.h>
#include "stepcost/kernel/kernel_dtype.h"
#include "stepcost/kernel/mixer_law.h"
#include "stepcost/kernel/rates.h"

/* Which rows share a law; a word that its table lacks is NULL. */
struct sc_mixer_key {
	uint32_t table;     /* SC_MIXER_* */
	uint32_t op;        /* SC_CONV_DECODE ...; of sparse attention 0 */
	const char *kernel; /* KDA: one of several for the same work */
	const char *model, *gemm, *kv;
	double indexer, ratio; /* DSA, CSA; else 0 */
};

struct sc_mixer_point {
	struct sc_mixer_at at;
	double heads;            /* of sparse attention */
	struct sc_linear linear; /* of a linear layer */
	double us;
};

/* ---- columns ---- */

struct sc_mixer_columns {
	uint32_t table;
	const double *batch, *tokens, *prefix, *us, *heads, *indexer, *ratio;
	/* of a linear layer */
	const double *k_heads, *k_dim, *v_heads, *v_dim, *conv, *chunk;
	const char *const *op, *const *kernel, *const *model, *const *gemm,
								  *const *kv;
};

/* Each family has names of its own for the sizes of its state.  Returns 0 if a
 * column is missing. */
static inline int sc_mixer_linear_columns(struct sc_mixer_columns *c,
					  const sc_table *t)
{
	int heads_alone = c->table != SC_MIXER_GDN;
	int mamba = c->table == SC_MIXER_MAMBA2;
	c->op = sc_words(t, "op");
	c->conv = sc_column(t, "conv");
	c->chunk = sc_column(t, "chunk");
	c->v_heads = sc_column(t, heads_alone ? "heads" : "v_heads");
	c->v_dim = sc_column(t, heads_alone ? "head_dim" : "v_dim");
	c->k_heads = sc_column(t, mamba         ? "groups"
				  : heads_alone ? "heads"
						: "k_heads");
	c->k_dim = sc_column(t, mamba         ? "state"
				: heads_alone ? "head_dim"
					      : "k_dim");
	if (c->table == SC_MIXER_KDA)
		c->kernel = sc_words(t, "kernel");
	return c->op && c->conv && c->v_heads && c->v_dim && c->k_heads &&
	       c->k_dim && (c->chunk || !mamba) &&
	       (c->kernel || c->table != SC_MIXER_KDA);
}

/* Returns 0 if a column is missing. */
static inline int sc_mixer_sparse_columns(struct sc_mixer_columns *c,
					  const sc_table *t)
{
	uint32_t family = sc_mixer_kinds[c->table].family;
	c->heads = sc_column(t, "heads");
	c->prefix = sc_column(t, "prefix");
	c->indexer = sc_column(t, "indexer");
	c->ratio = sc_column(t, "ratio");
	c->model = sc_words(t, "model");
	c->gemm = sc_words(t, "gemm_dtype");
	c->kv = sc_words(t, "kv_dtype");
	return c->heads && c->gemm && c->kv &&
	       (c->prefix || sc_mixer_is_decode(c->table)) &&
	       (c->model || family == SC_FAMILY_MSA) &&
	       (c->indexer || family != SC_FAMILY_DSA) &&
	       (c->ratio || family != SC_FAMILY_CSA);
}

/* Returns 0 if the table is of another kind, or lacks a column. */
static inline int sc_mixer_columns_of(struct sc_mixer_columns *c,
				      const sc_table *t)
{
	uint32_t table = sc_mixer_table(t->op);
	if (table == SC_N_MIXERS)
		return 0;
	*c = (struct sc_mixer_columns){
	    .table = table,
	    .batch = sc_column(t, "batch"),
	    .tokens =
		sc_column(t, sc_mixer_is_decode(table) ? "kv_len" : "seq_len"),
	    .us = sc_column(t, "latency_us")};
	if (!c->batch || !c->tokens || !c->us)
		return 0;
	return sc_mixer_kinds[table].is_sparse ? sc_mixer_sparse_columns(c, t)
					       : sc_mixer_linear_columns(c, t);
}

/* ---- picks ---- */

/* Returns 0 if nothing prices such a row: an unknown op, model or format. */
static inline int sc_mixer_key_of(const struct sc_mixer_columns *c, uint64_t i,
				  struct sc_mixer_key *p)
{
	*p = (struct sc_mixer_key){.table = c->table};
	if (!sc_mixer_kinds[c->table].is_sparse) {
		p->op = sc_linear_op(c->op[i]);
		p->kernel = c->kernel ? c->kernel[i] : NULL;
		return p->op < SC_N_LINEAR_OPS;
	}
	p->model = c->model ? c->model[i] : "minimax_m3";
	p->gemm = c->gemm[i];
	p->kv = c->kv[i];
	p->indexer = c->indexer ? c->indexer[i] : 0;
	p->ratio = c->ratio ? c->ratio[i] : 0;
	return sc_kernel_dtype(p->gemm) && sc_sparse_model(p->model);
}

static inline int sc_mixer_same_word(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static inline int sc_mixer_same_key(const struct sc_mixer_key *a,
				    const struct sc_mixer_key *b)
{
	return a->table == b->table && a->op == b->op &&
	       a->indexer == b->indexer && a->ratio == b->ratio &&
	       sc_mixer_same_word(a->kernel, b->kernel) &&
	       sc_mixer_same_word(a->model, b->model) &&
	       sc_mixer_same_word(a->gemm, b->gemm) &&
	       sc_mixer_same_word(a->kv, b->kv);
}

/* Writes the key that a MANIFEST uses for it in operators.TABLE.KEY.CONSTANT:
 * "scan_prefill", "glm_5;1;bf16;fp8". */
static inline void sc_mixer_key_numbers(const struct sc_mixer_key *p,
					char *text, size_t size)
{
	uint32_t family = sc_mixer_kinds[p->table].family;
	if (!sc_mixer_kinds[p->table].is_sparse)
		snprintf(text, size, "%s%s%s", sc_linear_ops[p->op],
			 p->kernel ? ";" : "", p->kernel ? p->kernel : "");
	else if (family == SC_FAMILY_MSA)
		snprintf(text, size, "%s;%s", p->gemm, p->kv);
	else
		snprintf(text, size, "%s;%.0f;%s;%s", p->model,
			 family == SC_FAMILY_DSA ? p->indexer : p->ratio,
			 p->gemm, p->kv);
}

/* ---- points ---- */

/* Returns 0 if the row has no time. */
static inline int sc_mixer_point_of(const struct sc_mixer_columns *c,
				    uint64_t i, struct sc_mixer_point *p)
{
	int decode = sc_mixer_is_decode(c->table);
	*p = (struct sc_mixer_point){.at = {.batch = c->batch[i],
					    .tokens = decode ? 1 : c->tokens[i],
					    .prefix = decode ? c->tokens[i] - 1
						      : c->prefix ? c->prefix[i]
								  : 0},
				     .us = c->us[i]};
	if (c->heads)
		p->heads = c->heads[i];
	else
		p->linear = (struct sc_linear){
		    .family = sc_mixer_kinds[c->table].family,
		    .k_heads = c->k_heads[i],
		    .k_dim = c->k_dim[i],
		    .v_heads = c->v_heads[i],
		    .v_dim = c->v_dim[i],
		    .conv = c->conv[i],
		    .chunk = c->chunk ? c->chunk[i] : 0};
	return p->us > 0 && isfinite(p->us) && p->at.batch > 0 &&
	       p->at.tokens > 0 && p->at.prefix >= 0 &&
	       (p->heads > 0 || p->linear.v_heads > 0);
}

/* Returns what a point of a row key measured. */
static inline struct sc_mixer sc_mixer_of(const struct sc_mixer_key *p,
					  const struct sc_mixer_point *at)
{
	struct sc_mixer m = {.linear = at->linear};
	if (!sc_mixer_kinds[p->table].is_sparse)
		return m;
	m.sparse.family = sc_mixer_kinds[p->table].family;
	m.sparse.size = *sc_sparse_model(p->model);
	m.sparse.heads = at->heads;
	m.sparse.ratio = p->ratio;
	m.sparse.indexer = p->indexer > 0;
	m.sparse.kv_is_fp8 = !strcmp(p->kv, "fp8");
	return m;
}

/* Returns the law of a row key for a GPU, with the constants that a fit starts
 * from. */
static inline struct sc_mixer_law sc_mixer_start(const struct sc_mixer_key *p,
						 const struct sc_rates *r)
{
	const struct sc_kernel_dtype *d =
	    sc_kernel_dtype(p->gemm ? p->gemm : "bf16");
	uint32_t kind = sc_mixer_law_of(p->table, p->op);
	struct sc_mixer_law l = {.table = p->table,
				 .op = p->op,
				 .rates = {.peak = sc_rates_peak(r, d->peak),
					   .peak16 = sc_rates_peak(r, SC_BF16),
					   .peak8 = sc_rates_peak(r, SC_FP8),
					   .bandwidth = r->bandwidth,
					   .weight = d->weight_bytes}};
	for (uint32_t i = 0; i < sc_mixer_laws[kind].n; i++)
		l.c[i] = sc_mixer_laws[kind].constant[i].start;
	return l;
}

/* ---- cleaning ---- */

/* Where a point lies on the axes of its table; others are 0. */
#define SC_MIXER_NUMBERS 7
static inline void sc_mixer_numbers(const struct sc_mixer_point *p,
				    double number[SC_MIXER_NUMBERS])
{
	const struct sc_linear *l = &p->linear;
	int gdn = l->family == SC_FAMILY_GDN;
	int mamba = l->family == SC_FAMILY_MAMBA2;
	const double is[SC_MIXER_NUMBERS] = {p->heads,    gdn ? l->k_heads : 0,
					     l->v_heads,  mamba ? l->k_dim : 0,
					     p->at.batch, p->at.tokens,
					     p->at.prefix};
	memcpy(number, is, sizeof is);
}

/* Orders by place, then time; *same: the same place. */
static inline int sc_mixer_order(const struct sc_mixer_point *a,
				 const struct sc_mixer_point *b, int *same)
{
	double x[SC_MIXER_NUMBERS], y[SC_MIXER_NUMBERS];
	sc_mixer_numbers(a, x);
	sc_mixer_numbers(b, y);
	*same = 0;
	for (int i = 0; i < SC_MIXER_NUMBERS; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	*same = 1;
	return a->us < b->us ? -1 : a->us > b->us;
}

static inline void sc_mixer_sift(struct sc_mixer_point *p, uint64_t root,
				 uint64_t n)
{
	int same;
	for (uint64_t child; (child = 2 * root + 1) < n; root = child) {
		child += child + 1 < n &&
			 sc_mixer_order(&p[child], &p[child + 1], &same) < 0;
		if (sc_mixer_order(&p[root], &p[child], &same) >= 0)
			return;
		struct sc_mixer_point t = p[root];
		p[root] = p[child];
		p[child] = t;
	}
}

/* Sorts points of any number of tables, and keeps the fastest of each place.
 * Returns how many are left. */
static inline uint64_t sc_mixer_deduplicate(struct sc_mixer_point *p,
					    uint64_t n)
{
	uint64_t kept = 0;
	int same;
	for (uint64_t i = n / 2; i-- > 0;)
		sc_mixer_sift(p, i, n);
	for (uint64_t i = n; i-- > 1;) {
		struct sc_mixer_point t = p[0];
		p[0] = p[i];
		p[i] = t;
		sc_mixer_sift(p, 0, i);
	}
	for (uint64_t i = 0; i < n; i++) {
		if (kept > 0)
			sc_mixer_order(&p[kept - 1], &p[i], &same);
		if (kept == 0 || !same)
			p[kept++] = p[i];
	}
	return kept;
}
#endif
