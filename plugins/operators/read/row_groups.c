/* row_groups.c -- Turns rows of one set that belong together into grids. */
#include "read/row_groups.h"
#include <stdlib.h>
#include "stepcost/fail.h"
#include "choose/rates.h"
#include "inst.h"

/* ---- whether it is there ---- */

static int same_word(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

const char *curve_dtype(const struct row_key *p)
{
	return p->law.dtype ? p->law.dtype : "bf16";
}

static int same_row_key(const struct row_key *a, const struct row_key *b)
{
	if (a->curve || b->curve)
		return same_word(a->curve, b->curve) &&
		       !strcmp(curve_dtype(a), curve_dtype(b)) &&
		       same_word(a->kind, b->kind) &&
		       same_word(a->mode, b->mode) && a->sms == b->sms;
	return a->law.op == b->law.op &&
	       same_word(a->law.dtype, b->law.dtype) &&
	       same_word(a->law.kv, b->law.kv) &&
	       same_word(a->law.routing, b->law.routing) &&
	       a->law.kernels == b->law.kernels;
}

/* ---- laws ---- */

static void read_constants(struct sc_oplaw *l, const struct sc_op_key *row_key,
			   const sc_table *notes)
{
	const struct sc_oplaw_kind *kind = &sc_oplaw_kinds[row_key->op];
	char of[96];
	sc_op_key_numbers(row_key, of, sizeof of);
	sc_op_fitted(notes, kind->op, of, kind->constant, kind->n_constants,
		     l->c);
}

static double residual_of(const struct row_group *f,
			  const struct sc_op_point *p)
{
	double us = p->us;
	if (!f->row_key.curve)
		us /= sc_oplaw_us(&f->law, p->key, p->row, p->x);
	return log(us);
}

/* ---- rows of a table without a law ---- */

/* Returns 1 if row i belongs to the curve.  Collectives between nodes do not:
 * they have other times than those within a node. */
static int curve_matches(const struct row_key *p, const sc_table *t, uint64_t i)
{
	const char *const *op = sc_words(t, "op"), *const *mode =
						       sc_words(t, "mode");
	const char *const *dtype = sc_words(t, "dtype");
	const double *ranks = sc_column(t, "ranks");
	const double *node = sc_column(t, "ranks_per_node");
	const double *sms = sc_column(t, "sms");
	return (!p->kind || (op && !strcmp(op[i], p->kind))) &&
	       (!p->mode || (mode && !strcmp(mode[i], p->mode))) &&
	       (!(p->sms > 0) || (sms && sms[i] == p->sms)) &&
	       (!dtype || !strcmp(sc_op_dtype(dtype[i]), curve_dtype(p))) &&
	       (!node || !ranks || node[i] >= ranks[i]);
}

static uint64_t collect_curve(const struct row_key *p, const sc_table *t,
			      struct sc_op_point *to)
{
	const struct sc_kernel_table *kind = sc_kernel_table(t->op);
	const double *us = sc_column(t, "latency_us"), *x;
	const double *key[SC_CURVE_KEYS];
	uint64_t n = 0;
	if (strcmp(t->op, p->curve) || !kind || !kind->along[0])
		return 0;
	x = sc_column(t, kind->along[0]);
	for (int d = 0; d < SC_CURVE_KEYS; d++) {
		const char *name = kind->along[1 + d];
		key[d] = name ? sc_column(t, name) : NULL;
		if (name && !key[d])
			return 0;
	}
	for (uint64_t i = 0; us && x && i < t->n_rows; i++) {
		if (!curve_matches(p, t, i) || !(us[i] > 0) || !(x[i] > 0))
			continue;
		struct sc_op_point at = {.row = 1, .x = x[i], .us = us[i]};
		for (int d = 0; d < SC_CURVE_KEYS && key[d]; d++)
			at.key[d] = key[d][i];
		to[n++] = at;
	}
	return n;
}

/* The fastest of several numbers of SMs, or of several kernels of one work;
 * more bytes take no less time. */
static uint64_t deduplicate_curve(const struct row_key *p,
				  struct sc_op_point *at, uint64_t n)
{
	if (n == 0)
		return 0;
	sc_op_sort(at, n);
	n = sc_op_merge(
	    at, n, !strcmp(p->curve, "all_to_all") || !strcmp(p->curve, "mhc"));
	sc_op_suffix_minimum(at, n);
	return n;
}

/* ---- grids ---- */

struct counts {
	uint32_t shapes, rows;
};
static struct counts count(const struct sc_op_point *p, uint64_t n)
{
	struct counts c = {0, 0};
	for (uint64_t i = 0; i < n; i++) {
		c.shapes += !i || !sc_op_same_shape(p[i].key, p[i - 1].key);
		c.rows += !i || !sc_op_same_row(&p[i], &p[i - 1]);
	}
	return c;
}

/* Every x of a table, ascending. */
static int gather_m(struct arena *a, struct row_group *f,
		    const struct sc_op_point *p, uint64_t n)
{
	f->m = arena_take(a, n, sizeof *f->m);
	f->log_m = arena_take(a, n, sizeof *f->log_m);
	if (!f->m || !f->log_m)
		return -1;
	for (uint64_t i = 0; i < n; i++) {
		uint32_t at = f->n_m, known = 0;
		for (uint32_t j = 0; j < f->n_m && !known; j++)
			known = f->m[j] == p[i].x;
		for (; !known && at > 0 && f->m[at - 1] > p[i].x; at--)
			f->m[at] = f->m[at - 1];
		if (!known) {
			f->m[at] = p[i].x;
			f->n_m++;
		}
	}
	for (uint32_t j = 0; j < f->n_m; j++)
		f->log_m[j] = log(f->m[j]);
	return 0;
}

/* Arrays that all grids of a source share. */
struct block {
	double *row, *log_row, *x, *log_x, *residual;
	unsigned char *how;
	uint32_t *start; /* a grid of r rows has r + 1 */
};
static int take_block(struct arena *a, struct block *b, struct counts c,
		      uint64_t n)
{
	b->row = arena_take(a, c.rows, sizeof *b->row);
	b->log_row = arena_take(a, c.rows, sizeof *b->row);
	b->start = arena_take(a, c.rows + (size_t)c.shapes, sizeof *b->start);
	b->x = arena_take(a, n, sizeof *b->x);
	b->log_x = arena_take(a, n, sizeof *b->x);
	b->residual = arena_take(a, n, sizeof *b->x);
	b->how = arena_take(a, n, 1);
	return b->row && b->log_row && b->start && b->x && b->log_x &&
		       b->residual && b->how
		   ? 0
		   : -1;
}

/* Fills in the grids of a group from its points, which are sorted by shape and
 * row.  One grid begins where the shape changes; all arrays lie in block b. */
static void fill(struct row_group *f, const struct block *b,
		 const struct sc_op_point *p, uint64_t n)
{
	struct sc_grid *s = f->grid - 1;
	uint32_t rows = 0, starts = 0;
	for (uint64_t i = 0; i < n; i++) {
		if (!i || !sc_op_same_shape(p[i].key, p[i - 1].key)) {
			starts += i > 0; /* past the last one's end */
			*++s = (struct sc_grid){.start = b->start + starts,
						.row = b->row + rows,
						.log_row = b->log_row + rows,
						.x = b->x,
						.log_x = b->log_x,
						.residual = b->residual,
						.how = b->how};
			memcpy(s->key, p[i].key, sizeof s->key);
		}
		if (s->n_rows == 0 || s->row[s->n_rows - 1] != p[i].row) {
			b->row[rows] = p[i].row;
			b->log_row[rows++] = log(p[i].row);
			b->start[starts++] = (uint32_t)i;
			s->n_rows++;
		}
		b->start[starts] = (uint32_t)i + 1;
		b->x[i] = p[i].x;
		b->log_x[i] = log(p[i].x);
		b->residual[i] = residual_of(f, &p[i]);
		b->how[i] = p[i].lowered ? SC_INTERPOLATED : SC_EXACT;
	}
}

/* What one shape lacks is found in others. */
static int has_grid(const struct row_group *f)
{
	uint32_t op = f->row_key.law.op;
	return !f->row_key.curve && op != SC_OPLAW_DECODE &&
	       op != SC_OPLAW_PREFILL;
}

static int build(struct inst *s, struct row_group *f,
		 const struct sc_op_point *p, uint64_t n)
{
	struct counts c = count(p, n);
	struct block b;
	f->grid = arena_take(&s->arena, c.shapes, sizeof *f->grid);
	if (!f->grid || take_block(&s->arena, &b, c, n) < 0)
		return -1;
	if (has_grid(f) && gather_m(&s->arena, f, p, n) < 0)
		return -1;
	fill(f, &b, p, n);
	f->n_grids = c.shapes;
	return 0;
}

static void make_row_group(struct inst *s, struct row_group *f)
{
	uint64_t n = 0;
	if (!f->row_key.curve) {
		f->law = law_at(&f->set->rates, &s->rates, &f->row_key.law);
		read_constants(&f->law, &f->row_key.law, f->set->any);
	}
	for (uint32_t i = 0; i < s->setup->n_tables; i++) {
		const sc_table *t = s->setup->table[i];
		if (strcmp(t->set, f->set->name))
			continue;
		n += f->row_key.curve
			 ? collect_curve(&f->row_key, t, s->points + n)
			 : sc_op_collect(&f->row_key.law, t, s->points + n);
	}
	uint64_t rows = n;
	n = f->row_key.curve
		? deduplicate_curve(&f->row_key, s->points, n)
		: sc_op_deduplicate(f->row_key.law.op, s->points, n);
	f->has_rivals = f->row_key.curve && n < rows;
	f->is_thin = !f->row_key.curve && n < sc_op_enough(f->row_key.law.op);
	if (n > 0)
		build(s, f, s->points, n);
}

/* A word that outlives the question it came with. */
static const char *keep(struct arena *a, const char *word)
{
	char *kept = word ? arena_take(a, strlen(word) + 1, 1) : NULL;
	return kept ? strcpy(kept, word) : NULL;
}

const struct row_group *row_group_of(struct inst *s, const struct set *set,
				     const struct row_key *row_key)
{
	for (uint32_t i = 0; i < s->n_row_groups; i++)
		if (s->row_group[i].set == set &&
		    same_row_key(&s->row_group[i].row_key, row_key))
			return s->row_group[i].n_grids ? &s->row_group[i]
						       : NULL;
	if (s->n_row_groups == MAX_ROW_GROUPS)
		return NULL;
	struct row_group *f = &s->row_group[s->n_row_groups++];
	*f = (struct row_group){.set = set, .row_key = *row_key};
	f->row_key.kind = keep(&s->arena, row_key->kind);
	f->row_key.mode = keep(&s->arena, row_key->mode);
	make_row_group(s, f);
	return f->n_grids ? f : NULL;
}

const struct sc_grid *row_group_find(const struct row_group *f,
				     const double *key, int n)
{
	for (uint32_t i = 0; i < f->n_grids; i++) {
		const double *is = f->grid[i].key;
		int same = 1;
		for (int d = 0; d < n; d++)
			same &= is[d] == key[d];
		if (same)
			return &f->grid[i];
	}
	return NULL;
}
