/* blend.c -- Makes a grid for a shape that was not measured, from those that
 * were: nearest, or the corners of a grid of shapes. */
#include "grid.h"
#include <stdio.h>
#include <stdlib.h>
#include "stepcost/fail.h"
#include "stepcost/interp.h"
#include "grid_private.h"

struct blend {
	uint32_t n, provenance;
	const struct grid *of[MAX_NEAR];
	double weight[MAX_NEAR];
};

/* ---- which shapes, and how much of each ---- */

int same_shape(const double a[3], const double b[3])
{
	return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* The one of that tp, where a table has a shape for several. */
static const struct grid *measured(const struct table_index *a, double n,
				   double k, double rest, double tp)
{
	const double shape[3] = {n, k, rest};
	const struct grid *found = NULL;
	for (uint32_t i = 0; i < a->n_grids; i++)
		if (same_shape(a->grid[i].shape, shape) &&
		    (!found || a->grid[i].tp == tp))
			found = &a->grid[i];
	return found;
}

/* Kernels of shapes near in these coordinates have like residuals; the scales
 * are the best of a cross-validation (latency_interp.md). */
static void coordinates(uint32_t op, const double shape[3], double at[4])
{
	double heads = shape[0], kv_heads = shape[1];
	memset(at, 0, 4 * sizeof *at);
	switch (op) {
	case SC_OP_GEMM:
		at[0] = log(shape[0]);
		at[1] = log(shape[1]);
		break;
	case SC_OP_PREFILL:
		at[0] = log(heads);
		at[1] = 0.5 * log(kv_heads);
		at[2] = 4 * log(shape[2]);
		break;
	case SC_OP_DECODE:
		at[0] = 0.25 * log(heads / kv_heads);
		at[1] = log(kv_heads);
		at[2] = 4 * log(shape[2]);
		at[3] = heads == kv_heads ? 3 : 0; /* another kernel */
		break;
	default:
		at[0] = log(shape[0]);
	}
}

/* The nearest shapes, by inverse distance. */
static void blend_near(const struct table_index *a, const double shape[3],
		       struct blend *b)
{
	double at[4], power = a->law.op == SC_OP_DECODE ? 3 : 2, sum = 0;
	coordinates(a->law.op, shape, at);
	b->n = 0;
	for (uint32_t i = 0; i < a->n_grids; i++) {
		double c[4], d = 0;
		coordinates(a->law.op, a->grid[i].shape, c);
		for (int j = 0; j < 4; j++)
			d += (c[j] - at[j]) * (c[j] - at[j]);
		d = pow(fmax(d, 1e-12), -power / 2);
		uint32_t to = b->n < MAX_NEAR ? b->n++ : MAX_NEAR;
		for (; to > 0 && b->weight[to - 1] < d; to--)
			if (to < MAX_NEAR) {
				b->weight[to] = b->weight[to - 1];
				b->of[to] = b->of[to - 1];
			}
		if (to < MAX_NEAR) {
			b->weight[to] = d;
			b->of[to] = &a->grid[i];
		}
	}
	for (uint32_t i = 0; i < b->n; i++)
		sum += b->weight[i];
	for (uint32_t i = 0; i < b->n; i++)
		b->weight[i] /= sum;
	b->provenance = SC_SUBSTITUTED;
}

/* The measured value of dimension `dim` next below v (or, side 1, above). */
static double side_of(const struct table_index *a, int dim, double v, int side,
		      int *clamped)
{
	double best = NAN, other = NAN;
	for (uint32_t i = 0; i < a->n_grids; i++) {
		double s = a->grid[i].shape[dim];
		if (side ? s >= v : s <= v)
			best = isnan(best) ? s
			       : side      ? fmin(best, s)
					   : fmax(best, s);
		else
			other = isnan(other) ? s
				: side       ? fmax(other, s)
					     : fmin(other, s);
	}
	*clamped |= isnan(best);
	return isnan(best) ? other : best;
}

/* GEMMs and all-reduces have a grid of shapes: linear in the logarithms of its
 * two sides; a corner that was not measured drops out with its weight.
 * Returns the weight that was there. */
static double blend_grid(const struct table_index *a, const double shape[3],
			 struct blend *b)
{
	double side[2][2], w[2] = {0, 0}, sum = 0;
	int clamped = 0;
	for (int d = 0; d < 2; d++) {
		side[d][0] = side_of(a, d, shape[d], 0, &clamped);
		side[d][1] = side_of(a, d, shape[d], 1, &clamped);
		if (side[d][1] > side[d][0])
			w[d] = log(shape[d] / side[d][0]) /
			       log(side[d][1] / side[d][0]);
	}
	b->n = 0;
	for (int corner = 0; corner < 4; corner++) {
		int i = corner & 1, j = corner >> 1;
		double weight = (i ? w[0] : 1 - w[0]) * (j ? w[1] : 1 - w[1]);
		const struct grid *s =
		    measured(a, side[0][i], side[1][j], shape[2], 0);
		if (!s || !(weight > 0))
			continue;
		b->of[b->n] = s;
		b->weight[b->n++] = weight;
		sum += weight;
	}
	for (uint32_t i = 0; i < b->n; i++)
		b->weight[i] /= sum;
	b->provenance = clamped ? SC_CLAMPED : SC_INTERPOLATED;
	return sum;
}

static void blend_for(const struct table_index *a, const double shape[3],
		      double tp, struct blend *b)
{
	const struct grid *s = measured(a, shape[0], shape[1], shape[2], tp);
	*b = (struct blend){.provenance = SC_FALLBACK};
	if (s) {
		*b = (struct blend){
		    .n = 1, .provenance = SC_EXACT, .of = {s}, .weight = {1}};
		return;
	}
	if (!a->n_grids)
		return;
	int grid = a->law.op == SC_OP_GEMM || a->law.op == SC_OP_ALL_REDUCE;
	if (!grid || blend_grid(a, shape, b) < 0.5)
		blend_near(a, shape, b);
}

/* Decode kernels keep as many blocks busy as batch * kv heads: a shape is like
 * another at the batch that makes these equal.  Returns the factor from a row
 * of `shape` to the row of `of` that is like it. */
static double row_scale(const struct table_index *a, const double shape[3],
			const struct grid *of)
{
	return a->law.op == SC_OP_DECODE ? of->shape[1] / shape[1] : 1;
}

/* ---- mixing them ---- */

uint32_t insert_sorted(double *at, uint32_t n, double v)
{
	uint32_t i = n;
	for (uint32_t j = 0; j < n; j++)
		if (at[j] == v)
			return n;
	for (; i > 0 && at[i - 1] > v; i--)
		at[i] = at[i - 1];
	at[i] = v;
	return n + 1;
}

void name_shape(const struct table_index *a, const struct grid *of, uint32_t n,
		struct grid *s)
{
	const double *v = n ? of->shape : s->shape;
	const char *more = n > 1 ? " and near" : "";
	if (!n)
		snprintf(s->used, sizeof s->used, "law");
	else if (a->law.op == SC_OP_GEMM)
		snprintf(s->used, sizeof s->used, "%.0f-%.0f%s", v[0], v[1],
			 more);
	else if (a->law.op == SC_OP_ALL_REDUCE)
		snprintf(s->used, sizeof s->used, "%.0f%s", v[0], more);
	else
		snprintf(s->used, sizeof s->used, "%.0f-%.0f-%.0f%s", v[0],
			 v[1], v[2], more);
}

/* Rows and places of all its shapes; the number of places. */
static uint32_t gather(const struct table_index *a, const struct blend *b,
		       struct grid *s, double *knots)
{
	uint32_t n_knots = 0;
	s->n_rows = 0;
	for (uint32_t i = 0; i < b->n; i++) {
		const struct grid *of = b->of[i];
		double scale = row_scale(a, s->shape, of);
		for (uint32_t j = 0; j < of->n_rows; j++)
			s->n_rows = insert_sorted(s->row, s->n_rows,
						  of->row[j] * scale);
		for (uint32_t j = 0; j < of->start[of->n_rows]; j++)
			n_knots = insert_sorted(knots, n_knots, of->x[j]);
	}
	return n_knots;
}

static double mixed_residual(const struct table_index *a, const struct blend *b,
			     const double shape[3], double row, double x)
{
	uint32_t unused = 0;
	double r = 0;
	for (uint32_t i = 0; i < b->n; i++)
		r += b->weight[i] *
		     residual_at(b->of[i], row / row_scale(a, shape, b->of[i]),
				 x, &unused);
	return r;
}

/* Fills s, which has room, with all rows and points of the blend's shapes. */
static void mix(const struct table_index *a, const double shape[3],
		const struct blend *b, struct grid *s, double *knots)
{
	uint32_t at = 0;
	memcpy(s->shape, shape, sizeof s->shape);
	s->provenance = b->provenance;
	if (b->n)
		s->provenance = sc_worse(s->provenance, b->of[0]->provenance);
	name_shape(a, b->of[0], b->n, s);
	uint32_t n_knots = gather(a, b, s, knots);
	for (uint32_t i = 0; i < s->n_rows; i++) {
		s->start[i] = at;
		for (uint32_t j = 0; j < n_knots; j++)
			set_point(
			    a, s, i, at++, s->row[i], knots[j],
			    mixed_residual(a, b, shape, s->row[i], knots[j]));
	}
	s->start[s->n_rows] = at;
}

static int32_t copy_grid(const struct grid *from, struct grid *to,
			 sc_error *err)
{
	uint32_t rows = from->n_rows, points = from->start[rows];
	if (grid_reserve(to, rows, points) < 0)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	memcpy(to->start, from->start, (rows + 1) * sizeof *to->start);
	memcpy(to->made, from->made, rows);
	memcpy(to->row, from->row, rows * sizeof *to->row);
	memcpy(to->x, from->x, points * sizeof *to->x);
	memcpy(to->residual, from->residual, points * sizeof *to->x);
	memcpy(to->us, from->us, points * sizeof *to->x);
	memcpy(to->shape, from->shape, sizeof to->shape);
	to->tp = from->tp;
	memcpy(to->used, from->used, sizeof to->used);
	to->n_rows = rows;
	to->provenance = from->provenance;
	return SC_OK;
}

const struct grid *table_index_find(struct table_index *a,
				    const double shape[3], double tp)
{
	struct blend b;
	blend_for(a, shape, tp, &b);
	if (b.provenance == SC_EXACT)
		return b.of[0];
	mix(a, shape, &b, &a->scratch, a->knots);
	return &a->scratch;
}

int32_t table_index_resolve(const struct table_index *a, const double shape[3],
			    double tp, struct grid *s, sc_error *err)
{
	struct blend b;
	blend_for(a, shape, tp, &b);
	if (b.provenance == SC_EXACT)
		return copy_grid(b.of[0], s, err);
	double *knots = calloc(a->scratch_points + 1, sizeof *knots);
	if (!knots || grid_reserve(s, a->scratch_rows, a->scratch_points) < 0) {
		free(knots);
		return sc_fail(err, SC_ENOMEM, "out of memory");
	}
	mix(a, shape, &b, s, knots);
	free(knots);
	return SC_OK;
}
