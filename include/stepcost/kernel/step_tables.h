/* stepcost/kernel/step_tables.h -- header-only helper: tables that measured
 * whole steps as tables of kernels.  `layer` has the functions of a model's
 * layer by name: its matrices become rows of gemm, at the shapes of the model
 * of that name.  attention_mixed has whole batches: decodes alone become rows
 * of attention_decode, one prompt alone a row of attention_prefill.  A table
 * that the set has itself stays as it is.
 *
 *	struct sc_step_tables made;
 *	int32_t rc = sc_step_tables_make(&made, setup);
 *	... made.setup in place of setup ...
 *	sc_step_tables_free(&made);
 *
 * The result points into setup, which has to live as long. */
#ifndef SC_STEP_TABLES_H
#define SC_STEP_TABLES_H
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "stepcost/table.h"

/* Numbers of a row, and behind them its dtype. */
enum { SC_STEP_COLUMNS = 6, SC_STEP_KINDS = 3 };
struct sc_step_table {
	sc_table table;
	const char *name[SC_STEP_COLUMNS + 1];
	double *number[SC_STEP_COLUMNS]; /* [0]: all of them, allocated */
	const double *col[SC_STEP_COLUMNS + 1];
	const char **dtype; /* allocated */
	const char *const *text[SC_STEP_COLUMNS + 1];
};
struct sc_step_tables {
	sc_setup setup;
	const sc_table **all; /* of the setup and these; allocated */
	uint32_t n_made;
	struct sc_step_table *made[SC_STEP_KINDS]; /* each allocated */
};

/* ---- one table ---- */

/* Room for `rows` rows of these columns; NULL: out of memory. */
static inline struct sc_step_table *
sc_step_table_new(const sc_table *from, const char *op,
		  const char *const names[SC_STEP_COLUMNS], uint64_t rows)
{
	struct sc_step_table *t = (struct sc_step_table *)calloc(1, sizeof *t);
	double *all =
	    (double *)calloc(SC_STEP_COLUMNS * (rows + 1), sizeof *all);
	const char **dtype = (const char **)calloc(rows + 1, sizeof *dtype);
	uint32_t n = 0;
	if (!t || !all || !dtype) {
		free(t);
		free(all);
		free(dtype);
		return NULL;
	}
	t->table = *from;
	t->table.op = op;
	t->table.n_rows = 0;
	for (; n < SC_STEP_COLUMNS && names[n]; n++) {
		t->name[n] = names[n];
		t->number[n] = all + n * rows;
		t->col[n] = t->number[n];
	}
	t->name[n] = "dtype";
	t->dtype = dtype;
	t->text[n] = dtype;
	t->table.n_cols = n + 1;
	t->table.col_name = t->name;
	t->table.col = t->col;
	t->table.text = t->text;
	return t;
}

static inline void sc_step_table_add(struct sc_step_table *t,
				     const double row[SC_STEP_COLUMNS])
{
	for (uint32_t i = 0; i + 1 < t->table.n_cols; i++)
		t->number[i][t->table.n_rows] = row[i];
	t->dtype[t->table.n_rows++] = "bf16";
}

static inline void sc_step_table_free(struct sc_step_table *t)
{
	if (!t)
		return;
	free(t->number[0]);
	free(t->dtype);
	free(t);
}

/* Returns 1 if the set of `t` has a table of this op. */
static inline int sc_step_set_has(const sc_setup *setup, const sc_table *t,
				  const char *op)
{
	for (uint32_t i = 0; i < setup->n_tables; i++)
		if (!strcmp(setup->table[i]->set, t->set) &&
		    !strcmp(setup->table[i]->op, op))
			return 1;
	return 0;
}

/* ---- matrices ---- */

/* Fills in the matrix of a function on one of tp ranks, n x k; returns 0 for
 * a function without one. */
static inline int sc_step_matrix(const sc_model *m, const char *function,
				 double tp, double *n, double *k)
{
	const sc_layers *g = m->group[0];
	double dim = g->head_dim, up = g->ffn == SC_FFN_GATED ? 2 : 1;
	double hidden = m->hidden, q = ceil(g->n_heads / tp) * dim;
	double kv = fmax(1, ceil(g->n_kv_heads / tp)) * dim;
	const struct {
		const char *function;
		double n, k;
	} known[] = {{"qkv_proj", q + 2 * kv, hidden},
		     {"o_proj", hidden, q},
		     {"gate_up_proj", up * g->ffn_dim / tp, hidden},
		     {"down_proj", hidden, g->ffn_dim / tp},
		     {"lm_head(per sequence)", m->vocab / tp, hidden}};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(function, known[i].function)) {
			*n = known[i].n;
			*k = known[i].k;
			return 1;
		}
	return 0;
}

/* The gemm rows of a table `layer`, for this model and split. */
static inline struct sc_step_table *sc_step_gemms(const sc_setup *setup,
						  const sc_table *t)
{
	static const char *const names[SC_STEP_COLUMNS] = {"m", "n", "k",
							   "latency_us"};
	const char *const *model = sc_words(t, "model");
	const char *const *function = sc_words(t, "layer");
	const double *ranks = sc_column(t, "tp");
	const double *tokens = sc_column(t, "tokens");
	const double *us = sc_column(t, "latency_us");
	double tp = fmax(1, setup->parallel->tp);
	struct sc_step_table *made =
	    sc_step_table_new(t, "gemm", names, t->n_rows);
	for (uint64_t i = 0; made && i < t->n_rows && model && function &&
			     tokens && us && setup->model->n_groups > 0;
	     i++) {
		double row[SC_STEP_COLUMNS] = {tokens[i], 0, 0, us[i]};
		if (!strcasecmp(model[i], setup->model->name) &&
		    (!ranks || ranks[i] == tp) && us[i] > 0 &&
		    sc_step_matrix(setup->model, function[i], tp, &row[1],
				   &row[2]))
			sc_step_table_add(made, row);
	}
	return made;
}

/* ---- attention ---- */

/* Rows of attention_mixed: decodes alone, or one prompt alone. */
static inline struct sc_step_table *sc_step_attention(const sc_table *t,
						      int decodes)
{
	static const char *const names[2][SC_STEP_COLUMNS] = {
	    {"heads", "kv_heads", "head_dim", "batch", "seq_len", "latency_us"},
	    {"heads", "kv_heads", "head_dim", "batch", "kv_len", "latency_us"}};
	static const char *const from[] = {
	    "heads",           "kv_heads", "head_dim",       "prefill_tokens",
	    "prefill_context", "decodes",  "decode_context", "latency_us"};
	const double *c[sizeof from / sizeof *from];
	struct sc_step_table *made = sc_step_table_new(
	    t, decodes ? "attention_decode" : "attention_prefill",
	    names[decodes], t->n_rows);
	int all = 1;
	for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
		c[i] = sc_column(t, from[i]);
		all &= c[i] != NULL;
	}
	for (uint64_t i = 0; made && all && i < t->n_rows; i++) {
		int is_decode = !(c[3][i] > 0), alone = !(c[5][i] > 0);
		double row[SC_STEP_COLUMNS] = {c[0][i],
					       c[1][i],
					       c[2][i],
					       decodes ? c[5][i] : 1,
					       decodes ? c[6][i] : c[3][i],
					       c[7][i]};
		if (c[7][i] > 0 &&
		    (decodes ? is_decode && !alone
			     : alone && !is_decode && !(c[4][i] > 0)))
			sc_step_table_add(made, row);
	}
	return made;
}

/* ---- all ---- */

static inline void sc_step_tables_free(struct sc_step_tables *s)
{
	for (uint32_t i = 0; i < s->n_made; i++)
		sc_step_table_free(s->made[i]);
	free(s->all);
	*s = (struct sc_step_tables){.all = NULL};
}

/* Adds a table that has rows; -1: out of memory. */
static inline int sc_step_tables_add(struct sc_step_tables *s,
				     struct sc_step_table *t)
{
	if (!t)
		return -1;
	if (t->table.n_rows == 0) {
		sc_step_table_free(t);
		return 0;
	}
	s->made[s->n_made++] = t;
	s->all[s->setup.n_tables++] = &t->table;
	return 0;
}

/* SC_OK or SC_ENOMEM.  Frees nothing of setup. */
static inline int32_t sc_step_tables_make(struct sc_step_tables *s,
					  const sc_setup *setup)
{
	const sc_table *layer = sc_table_of(setup, "layer");
	const sc_table *mixed = sc_table_of(setup, "attention_mixed");
	int rc = 0;
	*s = (struct sc_step_tables){.all = NULL};
	memcpy(&s->setup, setup,
	       setup->size < sizeof s->setup ? setup->size : sizeof s->setup);
	if (!layer && !mixed)
		return SC_OK;
	s->all = (const sc_table **)calloc(
	    (size_t)setup->n_tables + SC_STEP_KINDS, sizeof *s->all);
	if (!s->all)
		return SC_ENOMEM;
	memcpy(s->all, setup->table, setup->n_tables * sizeof *s->all);
	s->setup.table = s->all;
	if (layer && !sc_step_set_has(setup, layer, "gemm"))
		rc |= sc_step_tables_add(s, sc_step_gemms(setup, layer));
	if (mixed && !sc_step_set_has(setup, mixed, "attention_prefill"))
		rc |= sc_step_tables_add(s, sc_step_attention(mixed, 0));
	if (mixed && !sc_step_set_has(setup, mixed, "attention_decode"))
		rc |= sc_step_tables_add(s, sc_step_attention(mixed, 1));
	if (rc < 0)
		sc_step_tables_free(s);
	return rc < 0 ? SC_ENOMEM : SC_OK;
}
#endif
