/* stepcost/kernel/operator_rows.h -- header-only helper: collects and cleans
 *the rows of tables that belong to one law of operator_law.h.  A cost model
 * interpolates these points, and `tables fit` fits the constants of the law to
 * them.
 *
 *	struct sc_op_key row key = {.op = SC_OPLAW_MOE,
 *				  .dtype = "fp8_block",
 *				  .routing = "power_law_1.2"};
 *	struct sc_op_point *point = calloc(table->n_rows, sizeof *point);
 *	n = sc_op_collect(&row key, table, point);
 *	n = sc_op_deduplicate(row key.op, point, n);
 *
 * Cleaning: where several kernels were measured for one MoE or MLA shape the
 * fastest counts; of other repeats the median counts.  A GEMM of m tokens takes
 * no longer than one of more tokens, because an engine can pad.  Allocates
 * nothing. */
#ifndef SC_OPERATOR_ROWS_H
#define SC_OPERATOR_ROWS_H
#include "stepcost/kernel/kernel_dtype.h"
#include "stepcost/kernel/kernel_tables.h"
#include "stepcost/kernel/rates.h"

struct sc_op_key {
	uint32_t op;         /* SC_OPLAW_* */
	const char *dtype;   /* of the multiplication; for attention: "bf16" */
	const char *kv;      /* KV cache, "bf16", "fp8"; NULL: does not apply */
	const char *routing; /* of MoE, "power_law_1.2"; NULL: does not apply */
	/* For MoE: a kernel's name contains one of these texts; NULL: any name
	 * will do. */
	const char *const *kernels;
};

struct sc_op_point {
	double key[SC_OPLAW_KEYS], row, x, us;
	/* 1: measured slower than with more tokens, so us is that of more
	 * tokens */
	double lowered;
};

/* Returns 1 if a table may hold rows of a law. */
static inline int sc_op_is_in(uint32_t law, const sc_table *t)
{
	const struct sc_kernel_table *kind = sc_kernel_table(t->op);
	return kind && kind->law == law;
}

/* Writes the key that a MANIFEST uses for it in operators.OP.KEY.CONSTANT:
 * "fp8_block", "bf16;power_law_1.2", "attn bf16;kv fp8". */
static inline void sc_op_key_numbers(const struct sc_op_key *p, char *text,
				     size_t size)
{
	int attention = p->op == SC_OPLAW_DECODE || p->op == SC_OPLAW_PREFILL;
	int core =
	    p->op == SC_OPLAW_MLA_DECODE || p->op == SC_OPLAW_MLA_PREFILL;
	if (core)
		snprintf(text, size, "kv %s", p->kv);
	else
		snprintf(text, size, "%s%s%s%s", attention ? "attn " : "",
			 p->dtype,
			 p->kv        ? ";kv "
			 : p->routing ? ";"
				      : "",
			 p->kv        ? p->kv
			 : p->routing ? p->routing
				      : "");
}

/* Returns the law for a GPU, with the constants that a fit starts from. */
static inline struct sc_oplaw sc_op_law(const struct sc_op_key *p,
					const struct sc_rates *r)
{
	const struct sc_kernel_dtype *d = sc_kernel_dtype(p->dtype);
	struct sc_oplaw l;
	l.op = p->op;
	l.bandwidth = r->bandwidth;
	l.weight = d->weight_bytes;
	l.element = d->activation_bytes;
	l.cached = p->kv && !strcmp(p->kv, "fp8") ? 1 : 2;
	l.peak = sc_rates_peak(r, d->peak);
	l.peak16 = sc_rates_peak(r, SC_BF16);
	for (uint32_t i = 0; i < SC_OPLAW_CONSTANTS; i++)
		l.c[i] = sc_oplaw_kinds[p->op].constant[i].start;
	return l;
}

/* Sets c[n] to the constants that a fit left in the MANIFEST as
 * operators.OP.KEY.CONSTANT; if one is missing or too small, to none of them.
 * n: at most SC_OPLAW_CONSTANTS. */
static inline void sc_op_fitted(const sc_table *notes, const char *op,
				const char *key,
				const struct sc_oplaw_constant *constant,
				uint32_t n, double *c)
{
	double fitted[SC_OPLAW_CONSTANTS];
	char name[192];
	for (uint32_t i = 0; i < n; i++) {
		snprintf(name, sizeof name, "operators.%s.%s.%s", op, key,
			 constant[i].name);
		fitted[i] = sc_note_number(notes, name);
		if (!(fitted[i] >= constant[i].least))
			return;
	}
	memcpy(c, fitted, n * sizeof *c);
}

/* Returns how many points a fit of the law's constants needs. */
static inline uint64_t sc_op_enough(uint32_t op)
{
	return 3 * (uint64_t)sc_oplaw_kinds[op].n_constants;
}

/* ---- columns ---- */

struct sc_op_columns {
	const double *key[SC_OPLAW_KEYS], *row, *x, *us, *tp;
	const char *const *dtype, *const *kv, *const *routing, *const *kernel;
	const double *up_us, *down_us; /* of a grouped GEMM, in place of us */
	/* 1: 4-bit weights with 16-bit activations were measured with a kernel
	 * other than Marlin */
	int other_kernels;
	const char *ungated; /* note ungated_experts; NULL: none */
	/* sc_op_matrices() remembers the shape of the last row: rows of one
	 * shape follow each other */
	double last_shape[4];
	int last_is_ungated;
};

/* Finds a column.  Heads are those of one rank; in tables with model_heads they
 * are the model's, with its tp. */
static inline const double *sc_op_column(const sc_table *t, const char *name)
{
	const double *found = sc_column(t, name);
	char of_model[32];
	snprintf(of_model, sizeof of_model, "model_%s", name);
	return found ? found : sc_column(t, of_model);
}

/* A grouped GEMM of one rank is the MoE of a group of `ranks`: x counts the
 * tokens of the group, and there is no tensor parallelism. */
static inline void sc_op_grouped_columns(struct sc_op_columns *c,
					 const sc_table *t)
{
	c->key[4] = NULL;
	c->key[5] = sc_column(t, "ranks");
	c->x = sc_column(t, "tokens_per_rank");
	c->up_us = sc_column(t, "up_us");
	c->down_us = sc_column(t, "down_us");
}

/* Returns 0 if a column is missing. */
static inline int sc_op_columns_of(struct sc_op_columns *c, uint32_t op,
				   const sc_table *t)
{
	const struct sc_oplaw_kind *kind = &sc_oplaw_kinds[op];
	int module =
	    op == SC_OPLAW_MODULE_DECODE || op == SC_OPLAW_MODULE_PREFILL;
	*c = (struct sc_op_columns){
	    .x = sc_column(t, kind->x),
	    .us = sc_column(t, "latency_us"),
	    .dtype = sc_words(t, module ? "gemm_dtype" : "dtype"),
	    .kv = sc_words(t, "kv_dtype"),
	    .routing = sc_words(t, "routing"),
	    .kernel = sc_words(t, "kernel"),
	    .ungated = sc_note(t, "ungated_experts")};
	for (int i = 0; i < SC_OPLAW_KEYS && kind->key[i]; i++)
		c->key[i] = sc_op_column(t, kind->key[i]);
	if (op != SC_OPLAW_MOE)
		c->tp = sc_column(t, "tp");
	else if (!strncmp(t->op, "grouped", 7))
		sc_op_grouped_columns(c, t);
	c->row = kind->row ? sc_op_column(t, kind->row) : NULL;
	return c->x && c->dtype && (c->us || (c->up_us && c->down_us)) &&
	       (c->row || !kind->row) && c->key[0] &&
	       (op != SC_OPLAW_MOE || (c->key[3] && c->key[5]));
}

/* ---- which rows ---- */

/* Returns the word to look for: fp16 was measured as bf16. */
static inline const char *sc_op_dtype(const char *is)
{
	return !strcmp(is, "fp16")        ? "bf16"
	       : !strcmp(is, "w8a8_int8") ? "int8"
					  : is;
}

static inline int sc_op_is_marlin(const char *kernel)
{
	return strstr(kernel, "marlin") != NULL;
}

/* Returns 1 for a kernel that was measured with another activation in place of
 * the model's; such rows are left out. */
static inline int sc_op_stands_in(const char *kernel)
{
	return strstr(kernel, "situ_as_silu") != NULL;
}

/* Returns 1 if a kernel's name has one of two texts; texts[1] may be NULL. */
static inline int sc_op_is_named(const char *kernel, const char *const *texts)
{
	return strstr(kernel, texts[0]) != NULL ||
	       (texts[1] && strstr(kernel, texts[1]) != NULL);
}

static inline int sc_op_matches(const struct sc_op_key *p,
				const struct sc_op_columns *c, uint64_t i)
{
	const char *dtype = sc_op_dtype(c->dtype[i]);
	if (strcmp(dtype, p->dtype))
		return 0;
	if (p->kv && strcmp(c->kv ? sc_op_dtype(c->kv[i]) : dtype, p->kv))
		return 0;
	if (p->op != SC_OPLAW_MOE)
		return 1;
	if (strcmp(c->routing ? c->routing[i] : "grouped", p->routing))
		return 0;
	if (p->kernels &&
	    (!c->kernel || !sc_op_is_named(c->kernel[i], p->kernels)))
		return 0;
	return !c->kernel ||
	       (!sc_op_stands_in(c->kernel[i]) &&
		!(c->other_kernels && sc_op_is_marlin(c->kernel[i])));
}

/* MXFP4 experts with 16-bit activations: rows of Marlin count only if no other
 * kernel was measured. */
static inline void sc_op_look_for_others(const struct sc_op_key *p,
					 struct sc_op_columns *c, uint64_t n)
{
	if (!c->kernel || strcmp(p->dtype, "w4a16_mxfp4"))
		return;
	for (uint64_t i = 0; i < n && !c->other_kernels; i++)
		c->other_kernels =
		    sc_op_matches(p, c, i) && !sc_op_is_marlin(c->kernel[i]);
}

/* ---- experts without a gate ---- */

/* Hidden size, width, experts, experts a token. */
#define SC_OP_EXPERT_SIZES 4

/* Reads the first shape of a list as a MANIFEST has it in `ungated_experts`:
 * "HIDDEN-INTER-EXPERTS-TOPK, ...".  Returns what follows it, "" at the end;
 * NULL: this is no such list. */
static inline const char *sc_op_next_shape(const char *list,
					   double shape[SC_OP_EXPERT_SIZES])
{
	for (int i = 0; i < SC_OP_EXPERT_SIZES; i++) {
		char *end;
		if (*list < '0' || *list > '9')
			return NULL;
		shape[i] = strtod(list, &end);
		if (*end != (i + 1 < SC_OP_EXPERT_SIZES ? '-' : ',') &&
		    (i + 1 < SC_OP_EXPERT_SIZES || *end))
			return NULL;
		list = *end ? end + 1 : end;
	}
	while (*list == ' ')
		list++;
	return list;
}

/* Returns 1 if such a list has the shape; list NULL: it has none. */
static inline int sc_op_lists_shape(const char *list,
				    const double shape[SC_OP_EXPERT_SIZES])
{
	double is[SC_OP_EXPERT_SIZES];
	while (list && *list && (list = sc_op_next_shape(list, is)))
		if (!memcmp(is, shape, sizeof is))
			return 1;
	return 0;
}

/* Returns the number of matrices per expert: two if it has no gate, as the name
 * of the kernel or the MANIFEST of the set says. */
static inline double sc_op_matrices(struct sc_op_columns *c, uint64_t i,
				    const double shape[SC_OP_EXPERT_SIZES])
{
	if (c->kernel && strstr(c->kernel[i], "nongated"))
		return 2;
	if (memcmp(c->last_shape, shape, sizeof c->last_shape)) {
		memcpy(c->last_shape, shape, sizeof c->last_shape);
		c->last_is_ungated = sc_op_lists_shape(c->ungated, shape);
	}
	return c->last_is_ungated ? 2 : 3;
}

/* ---- collecting ---- */

static inline struct sc_op_point
sc_op_point_of(uint32_t op, struct sc_op_columns *c, uint64_t i)
{
	struct sc_op_point p = {.row = c->row ? c->row[i] : 1,
				.x = c->x[i],
				.us = c->us ? c->us[i]
					    : c->up_us[i] + c->down_us[i]};
	for (int d = 0; d < SC_OPLAW_KEYS && c->key[d]; d++)
		p.key[d] = c->key[d][i];
	if (op == SC_OPLAW_MOE) {
		p.key[6] = sc_op_matrices(c, i, p.key);
		if (!c->us) {
			p.key[4] = 1;
			p.key[5] = c->key[5][i];
			p.x *= p.key[5];
		}
	} else if (c->tp && c->row) {
		p.key[0] = ceil(p.key[0] / c->tp[i]);
		p.key[1] = fmax(1, floor(p.key[1] / c->tp[i]));
	}
	return p;
}

/* Appends the rows that match.  Returns how many. */
static inline uint64_t sc_op_collect(const struct sc_op_key *p,
				     const sc_table *t, struct sc_op_point *to)
{
	struct sc_op_columns c;
	uint64_t n = 0;
	if (!sc_op_is_in(p->op, t) || !sc_op_columns_of(&c, p->op, t))
		return 0;
	sc_op_look_for_others(p, &c, t->n_rows);
	for (uint64_t i = 0; i < t->n_rows; i++) {
		if (!sc_op_matches(p, &c, i))
			continue;
		struct sc_op_point at = sc_op_point_of(p->op, &c, i);
		if (at.us > 0 && isfinite(at.us) && at.x > 0 && at.row > 0 &&
		    at.key[0] > 0)
			to[n++] = at;
	}
	return n;
}

/* ---- cleaning ---- */

/* Orders by shape, row, x, time. */
static inline int sc_op_order(const struct sc_op_point *a,
			      const struct sc_op_point *b)
{
	for (int i = 0; i < SC_OPLAW_KEYS; i++)
		if (a->key[i] != b->key[i])
			return a->key[i] < b->key[i] ? -1 : 1;
	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	if (a->x != b->x)
		return a->x < b->x ? -1 : 1;
	return a->us < b->us ? -1 : a->us > b->us;
}

static inline int sc_op_same_shape(const double *a, const double *b)
{
	for (int i = 0; i < SC_OPLAW_KEYS; i++)
		if (a[i] != b[i])
			return 0;
	return 1;
}

static inline int sc_op_same_row(const struct sc_op_point *a,
				 const struct sc_op_point *b)
{
	return sc_op_same_shape(a->key, b->key) && a->row == b->row;
}

static inline void sc_op_sift(struct sc_op_point *p, uint64_t root, uint64_t n)
{
	for (uint64_t child; (child = 2 * root + 1) < n; root = child) {
		child +=
		    child + 1 < n && sc_op_order(&p[child], &p[child + 1]) < 0;
		if (sc_op_order(&p[root], &p[child]) >= 0)
			return;
		struct sc_op_point t = p[root];
		p[root] = p[child];
		p[child] = t;
	}
}

/* Sorts in place.  Most tables are in order already, and then it returns at
 * once. */
static inline void sc_op_sort(struct sc_op_point *p, uint64_t n)
{
	uint64_t ordered = 1;
	while (ordered < n && sc_op_order(&p[ordered - 1], &p[ordered]) <= 0)
		ordered++;
	if (ordered >= n)
		return;
	for (uint64_t i = n / 2; i-- > 0;)
		sc_op_sift(p, i, n);
	for (uint64_t i = n - 1; i > 0; i--) {
		struct sc_op_point t = p[0];
		p[0] = p[i];
		p[i] = t;
		sc_op_sift(p, 0, i);
	}
}

/* Keeps one point per place: the fastest, or the median (the lower of two).
 * Returns how many points are left. */
static inline uint64_t sc_op_merge(struct sc_op_point *p, uint64_t n,
				   int fastest)
{
	uint64_t kept = 0;
	for (uint64_t i = 0, next; i < n; i = next) {
		for (next = i + 1; next < n; next++)
			if (!sc_op_same_row(&p[i], &p[next]) ||
			    p[i].x != p[next].x)
				break;
		p[kept++] = p[fastest ? i : i + (next - i - 1) / 2];
	}
	return kept;
}

/* Sets each t(m) to the least t(m') with m' >= m. */
static inline void sc_op_suffix_minimum(struct sc_op_point *p, uint64_t n)
{
	for (uint64_t i = n; i-- > 1;)
		if (sc_op_same_row(&p[i - 1], &p[i]) && p[i - 1].us > p[i].us) {
			p[i - 1].us = p[i].us;
			p[i - 1].lowered = 1;
		}
}

/* Sorts and cleans points from any number of tables of a set.  Returns how many
 * points are left. */
static inline uint64_t sc_op_deduplicate(uint32_t op, struct sc_op_point *p,
					 uint64_t n)
{
	int attention = op == SC_OPLAW_DECODE || op == SC_OPLAW_PREFILL;
	if (n == 0)
		return 0;
	sc_op_sort(p, n);
	n = sc_op_merge(p, n, op != SC_OPLAW_GEMM && !attention);
	if (op == SC_OPLAW_GEMM)
		sc_op_suffix_minimum(p, n);
	return n;
}
#endif
