/* table index.c -- Builds the grids of an op from the rows of its table. */
#include "grid.h"
#include <stdio.h>
#include <stdlib.h>
#include "stepcost/fail.h"
#include "stepcost/table.h"
#include "grid_private.h"

/* A measured point, as in a table. */
struct point {
	double shape[3], tp, row, x, us;
};

static int same_place(const struct point *a, const struct point *b)
{
	return same_shape(a->shape, b->shape) && a->tp == b->tp;
}

static int by_place(const void *left, const void *right)
{
	const struct point *a = left, *b = right;
	const double l[] = {a->shape[0], a->shape[1], a->shape[2],
			    a->tp,       a->row,      a->x};
	const double r[] = {b->shape[0], b->shape[1], b->shape[2],
			    b->tp,       b->row,      b->x};
	for (int i = 0; i < 6; i++)
		if (l[i] != r[i])
			return l[i] < r[i] ? -1 : 1;
	return a->us < b->us ? -1 : a->us > b->us;
}

struct columns {
	const double *shape[3], *row, *x, *us, *tp;
	const char *const *format;
};

/* Heads are those of one rank, or a model's with its tp. */
static int32_t find_columns(const struct sc_law_kind *kind, const sc_table *t,
			    struct columns *c, sc_error *err)
{
	const char *missing = NULL;
	*c = (struct columns){.x = sc_column(t, kind->x),
			      .us = sc_column(t, "latency_us"),
			      .tp = sc_column(t, "tp"),
			      .format = sc_words(t, "dtype")};
	for (int i = 0; i < 3 && kind->shape[i]; i++) {
		char name[32];
		snprintf(name, sizeof name, "model_%s", kind->shape[i]);
		c->shape[i] = sc_column(t, kind->shape[i]);
		if (!c->shape[i])
			c->shape[i] = sc_column(t, name);
		if (!c->shape[i])
			missing = kind->shape[i];
	}
	if (kind->row && !(c->row = sc_column(t, kind->row)))
		missing = kind->row;
	missing = !c->x ? kind->x : !c->us ? "latency_us" : missing;
	missing = !c->format ? "dtype" : missing;
	return missing ? sc_fail(err, SC_ENODATA, "%s: no column %s", t->origin,
				 missing)
		       : SC_OK;
}

static struct point point_of(const struct columns *c, uint64_t i)
{
	struct point p = {
	    .row = c->row ? c->row[i] : 1, .x = c->x[i], .us = c->us[i]};
	for (int d = 0; d < 3 && c->shape[d]; d++)
		p.shape[d] = c->shape[d][i];
	if (c->tp && c->row) {
		p.tp = c->tp[i];
		p.shape[0] = ceil(p.shape[0] / c->tp[i]);
		p.shape[1] = fmax(1, floor(p.shape[1] / c->tp[i]));
	}
	return p;
}

/* Copies the rows of one number format to to[*n]. */
static int32_t collect(const struct sc_law_kind *kind, const sc_table *t,
		       uint32_t format, struct point *to, uint64_t *n,
		       sc_error *err)
{
	struct columns c;
	int32_t rc = find_columns(kind, t, &c, err);
	const char *last = ""; /* rows of a format stand together */
	uint32_t is = 0;
	*n = 0;
	for (uint64_t i = 0; rc == SC_OK && i < t->n_rows; i++) {
		if (strcmp(c.format[i], last)) {
			last = c.format[i];
			is = sc_format_kernels(sc_format_named(last));
		}
		if (is != format)
			continue;
		struct point p = point_of(&c, i);
		if (!(p.us > 0) || !(p.x > 0) || !(p.row > 0) ||
		    !(p.shape[0] > 0) || !isfinite(p.us))
			return sc_fail(err, SC_ENODATA,
				       "%s: row %llu: a size or latency_us is "
				       "not positive",
				       t->origin, (unsigned long long)i + 1);
		to[(*n)++] = p;
	}
	return rc;
}

/* Points measured twice count once, at their median (the lower of two). */
static uint64_t merge_repeats(struct point *p, uint64_t n)
{
	uint64_t kept = 0;
	for (uint64_t i = 0, next; i < n; i = next) {
		for (next = i + 1; next < n; next++)
			if (!same_place(&p[i], &p[next]) ||
			    p[i].row != p[next].row || p[i].x != p[next].x)
				break;
		p[kept++] = p[i + (next - i - 1) / 2];
	}
	return kept;
}

static int32_t fill_grid(struct table_index *a, struct grid *s,
			 const struct point *p, uint32_t n, sc_error *err)
{
	uint32_t rows = 1;
	for (uint32_t i = 1; i < n; i++)
		rows += p[i].row != p[i - 1].row;
	if (grid_reserve(s, rows, n) < 0)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	memcpy(s->shape, p->shape, sizeof s->shape);
	s->tp = p->tp;
	for (uint32_t i = 0; i < n; i++) {
		if (!i || p[i].row != p[i - 1].row) {
			s->start[s->n_rows] = i;
			s->row[s->n_rows++] = p[i].row;
		}
		double us = p[i].us;
		if (a->monotone && i > s->start[s->n_rows - 1])
			us = fmax(us, s->us[i - 1]);
		s->x[i] = p[i].x;
		s->us[i] = us;
		s->residual[i] = log(
		    p[i].us / sc_law_us(&a->law, p[i].shape, p[i].row, p[i].x));
	}
	s->start[s->n_rows] = n;
	name_shape(a, s, 1, s);
	return SC_OK;
}

static int32_t fill_table_index(struct table_index *a, const struct point *p,
				uint64_t n, sc_error *err)
{
	uint64_t shapes = 0;
	for (uint64_t i = 0; i < n; i++)
		shapes += !i || !same_place(&p[i], &p[i - 1]);
	a->grid = calloc(shapes + 1, sizeof *a->grid);
	if (!a->grid)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	for (uint64_t i = 0, next; i < n; i = next) {
		for (next = i + 1; next < n; next++)
			if (!same_place(&p[i], &p[next]))
				break;
		int32_t rc = fill_grid(a, &a->grid[a->n_grids], p + i,
				       (uint32_t)(next - i), err);
		if (rc != SC_OK)
			return rc;
		a->n_grids++;
	}
	return SC_OK;
}

/* A blend has no more places than the whole table has, and of rows those of
 * all its shapes. */
static int32_t make_scratch(struct table_index *a, uint64_t n, sc_error *err)
{
	double *rows = calloc(2 * n + 1, sizeof *rows);
	uint32_t n_rows = 0, n_knots = 0, most = 0;
	a->knots = calloc(n + 1, sizeof *a->knots);
	for (uint32_t i = 0; rows && a->knots && i < a->n_grids; i++) {
		const struct grid *s = &a->grid[i];
		for (uint32_t j = 0; j < s->n_rows; j++)
			n_rows = insert_sorted(rows, n_rows, s->row[j]);
		most = most > s->n_rows ? most : s->n_rows;
		for (uint32_t j = 0; j < s->start[s->n_rows]; j++)
			n_knots = insert_sorted(a->knots, n_knots, s->x[j]);
	}
	if (a->law.op == SC_OP_DECODE)
		n_rows = MAX_NEAR * most;
	a->scratch_rows = n_rows;
	a->scratch_points = n_rows * n_knots;
	int failed = !rows || !a->knots ||
		     grid_reserve(&a->scratch, n_rows, n_rows * n_knots) < 0;
	free(rows);
	return failed ? sc_fail(err, SC_ENOMEM, "out of memory") : SC_OK;
}

int32_t table_index_build(struct table_index *a, const sc_table *t,
			  uint32_t format, sc_error *err)
{
	uint64_t n = 0;
	struct point *p = calloc(t && t->n_rows ? t->n_rows : 1, sizeof *p);
	if (!p)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	int32_t rc =
	    t ? collect(sc_law_kind_of(a->law.op), t, format, p, &n, err)
	      : SC_OK;
	if (rc == SC_OK && n > 0) {
		qsort(p, n, sizeof *p, by_place);
		n = merge_repeats(p, n);
	}
	if (rc == SC_OK)
		rc = fill_table_index(a, p, n, err);
	free(p);
	if (rc == SC_OK)
		rc = table_index_densify(a, err);
	return rc == SC_OK ? make_scratch(a, n, err) : rc;
}

void table_index_free(struct table_index *a)
{
	for (uint32_t i = 0; i < a->n_grids; i++)
		grid_free(&a->grid[i]);
	free(a->grid);
	grid_free(&a->scratch);
	free(a->knots);
}

void table_index_restate(struct table_index *a, const struct sc_law *law)
{
	a->law = *law;
	for (uint32_t i = 0; i < a->n_grids; i++) {
		struct grid *s = &a->grid[i];
		s->provenance = SC_SUBSTITUTED;
		for (uint32_t row = 0; row < s->n_rows; row++)
			for (uint32_t j = s->start[row]; j < s->start[row + 1];
			     j++)
				set_point(a, s, row, j, s->row[row], s->x[j],
					  s->residual[j]);
	}
}
