/* source.c -- Turns rows of one set that belong together into surfaces. */
#include "read/source.h"
#include <stdlib.h>
#include "stepcost/fail.h"
#include "choose/rates.h"
#include "inst.h"

/* ---- whether it is there ---- */

static int same_word(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

const char *curve_dtype(const struct pick *p)
{
	return p->law.dtype ? p->law.dtype : "bf16";
}

static int same_pick(const struct pick *a, const struct pick *b)
{
	if (a->curve || b->curve)
		return same_word(a->curve, b->curve) &&
		       !strcmp(curve_dtype(a), curve_dtype(b)) &&
		       same_word(a->kind, b->kind) &&
		       same_word(a->mode, b->mode) && a->sms == b->sms;
	return a->law.op == b->law.op &&
	       same_word(a->law.dtype, b->law.dtype) &&
	       same_word(a->law.kv, b->law.kv) &&
	       same_word(a->law.routing, b->law.routing);
}

/* ---- laws ---- */

static void read_constants(struct sc_oplaw *l, const struct sc_op_pick *pick,
			   const sc_table *notes)
{
	const struct sc_oplaw_kind *kind = &sc_oplaw_kinds[pick->op];
	char of[96];
	sc_op_pick_key(pick, of, sizeof of);
	sc_op_fitted(notes, kind->op, of, kind->constant, kind->n_constants,
		     l->c);
}

static double residual_of(const struct source *f, const struct sc_op_point *p)
{
	double us = p->us;
	if (!f->pick.curve)
		us /= sc_oplaw_us(&f->law, p->key, p->row, p->x);
	return log(us);
}

/* ---- rows of a table without a law ---- */

/* Between nodes is another matter. */
static int curve_matches(const struct pick *p, const sc_table *t, uint64_t i)
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

static uint64_t collect_curve(const struct pick *p, const sc_table *t,
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
static uint64_t settle_curve(const struct pick *p, struct sc_op_point *at,
			     uint64_t n)
{
	if (n == 0)
		return 0;
	sc_op_sort(at, n);
	n = sc_op_merge(
	    at, n, !strcmp(p->curve, "all_to_all") || !strcmp(p->curve, "mhc"));
	sc_op_suffix_minimum(at, n);
	return n;
}

/* ---- surfaces ---- */

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
static int gather_m(struct arena *a, struct source *f,
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

/* Arrays that all surfaces of a source share. */
struct block {
	double *row, *log_row, *x, *log_x, *residual;
	unsigned char *how;
	uint32_t *start; /* a surface of r rows has r + 1 */
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

static void fill(struct source *f, const struct block *b,
		 const struct sc_op_point *p, uint64_t n)
{
	struct sc_surface *s = f->surface - 1;
	uint32_t rows = 0, starts = 0;
	for (uint64_t i = 0; i < n; i++) {
		if (!i || !sc_op_same_shape(p[i].key, p[i - 1].key)) {
			starts += i > 0; /* past the last one's end */
			*++s = (struct sc_surface){.start = b->start + starts,
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
static int has_grid(const struct source *f)
{
	uint32_t op = f->pick.law.op;
	return !f->pick.curve && op != SC_OPLAW_DECODE &&
	       op != SC_OPLAW_PREFILL;
}

static int build(struct inst *s, struct source *f, const struct sc_op_point *p,
		 uint64_t n)
{
	struct counts c = count(p, n);
	struct block b;
	f->surface = arena_take(&s->arena, c.shapes, sizeof *f->surface);
	if (!f->surface || take_block(&s->arena, &b, c, n) < 0)
		return -1;
	if (has_grid(f) && gather_m(&s->arena, f, p, n) < 0)
		return -1;
	fill(f, &b, p, n);
	f->n_surfaces = c.shapes;
	return 0;
}

static void make_source(struct inst *s, struct source *f)
{
	uint64_t n = 0;
	if (!f->pick.curve) {
		f->law = law_at(&f->set->rates, &s->rates, &f->pick.law);
		read_constants(&f->law, &f->pick.law, f->set->any);
	}
	for (uint32_t i = 0; i < s->setup->n_tables; i++) {
		const sc_table *t = s->setup->table[i];
		if (strcmp(t->set, f->set->name))
			continue;
		n += f->pick.curve
			 ? collect_curve(&f->pick, t, s->points + n)
			 : sc_op_collect(&f->pick.law, t, s->points + n);
	}
	uint64_t rows = n;
	n = f->pick.curve ? settle_curve(&f->pick, s->points, n)
			  : sc_op_settle(f->pick.law.op, s->points, n);
	f->has_rivals = f->pick.curve && n < rows;
	f->is_thin = !f->pick.curve && n < sc_op_enough(f->pick.law.op);
	if (n > 0)
		build(s, f, s->points, n);
}

/* A word that outlives the question it came with. */
static const char *keep(struct arena *a, const char *word)
{
	char *kept = word ? arena_take(a, strlen(word) + 1, 1) : NULL;
	return kept ? strcpy(kept, word) : NULL;
}

const struct source *source_of(struct inst *s, const struct set *set,
			       const struct pick *pick)
{
	for (uint32_t i = 0; i < s->n_sources; i++)
		if (s->source[i].set == set &&
		    same_pick(&s->source[i].pick, pick))
			return s->source[i].n_surfaces ? &s->source[i] : NULL;
	if (s->n_sources == MAX_SOURCES)
		return NULL;
	struct source *f = &s->source[s->n_sources++];
	*f = (struct source){.set = set, .pick = *pick};
	f->pick.kind = keep(&s->arena, pick->kind);
	f->pick.mode = keep(&s->arena, pick->mode);
	make_source(s, f);
	return f->n_surfaces ? f : NULL;
}

const struct sc_surface *source_find(const struct source *f, const double *key,
				     int n)
{
	for (uint32_t i = 0; i < f->n_surfaces; i++) {
		const double *is = f->surface[i].key;
		int same = 1;
		for (int d = 0; d < n; d++)
			same &= is[d] == key[d];
		if (same)
			return &f->surface[i];
	}
	return NULL;
}
