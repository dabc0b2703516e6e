#include "surface.h"
#include <stdio.h>
#include <stdlib.h>
#include "stepcost/fail.h"
#include "stepcost/table.h"

#define MAX_NEAR 4 /* shapes that a blend is made of */

struct blend {
	uint32_t n, provenance;
	const struct surface *of[MAX_NEAR];
	double weight[MAX_NEAR];
};

/* ---- asking ---- */

struct bracket {
	uint32_t below, above; /* the same: on a point, or clamped          */
	double weight;         /* of above                                  */
	uint32_t provenance;
};

/* Where v lies in ascending at[from .. to). */
static struct bracket bracket_of(const double *at, uint32_t from, uint32_t to,
				 double v)
{
	uint32_t lo = from, hi = to - 1;
	if (v <= at[lo])
		return (struct bracket){lo, lo, 0,
					v < at[lo] ? SC_CLAMPED : SC_EXACT};
	if (v >= at[hi])
		return (struct bracket){hi, hi, 0,
					v > at[hi] ? SC_CLAMPED : SC_EXACT};
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (at[mid] <= v)
			lo = mid;
		else
			hi = mid;
	}
	if (at[lo] == v)
		return (struct bracket){lo, lo, 0, SC_EXACT};
	return (struct bracket){lo, hi, log(v / at[lo]) / log(at[hi] / at[lo]),
				SC_INTERPOLATED};
}

static uint32_t worse(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* log(t / law) along one row. */
static double row_residual(const struct surface *s, uint32_t row, double x,
			   uint32_t *provenance)
{
	struct bracket b =
	    bracket_of(s->x, s->start[row], s->start[row + 1], x);
	double r = s->residual[b.below];
	*provenance = worse(*provenance, b.provenance);
	return r + (s->residual[b.above] - r) * b.weight;
}

static double residual_at(const struct surface *s, double row, double x,
			  uint32_t *provenance)
{
	struct bracket b = bracket_of(s->row, 0, s->n_rows, row);
	*provenance = worse(*provenance, b.provenance);
	if (s->made[b.below] || s->made[b.above])
		*provenance = worse(*provenance, SC_INTERPOLATED);
	double r = row_residual(s, b.below, x, provenance);
	if (b.above == b.below)
		return r;
	return r + (row_residual(s, b.above, x, provenance) - r) * b.weight;
}

/* The measured time itself, or NaN if (row, x) is no point. */
static double point_us(const struct surface *s, double row, double x)
{
	struct bracket b = bracket_of(s->row, 0, s->n_rows, row);
	if (b.provenance != SC_EXACT || s->made[b.below])
		return NAN;
	b = bracket_of(s->x, s->start[b.below], s->start[b.below + 1], x);
	return b.provenance == SC_EXACT ? s->us[b.below] : NAN;
}

/* Along a row whose points rise, between two of them: linear in log law, which
 * rises with x, so that the answer does. */
static double rising_in_row(const struct atlas *a, const struct surface *s,
			    uint32_t row, double x)
{
	struct bracket b =
	    bracket_of(s->x, s->start[row], s->start[row + 1], x);
	double at = sc_law_us(&a->law, s->shape, s->row[row], x);
	double from = sc_law_us(&a->law, s->shape, s->row[row], s->x[b.below]);
	double us = s->us[b.below];
	if (b.provenance == SC_EXACT)
		return us;
	if (b.above == b.below)
		return us * at / from;
	double to = sc_law_us(&a->law, s->shape, s->row[row], s->x[b.above]);
	return us *
	       exp(log(s->us[b.above] / us) * log(at / from) / log(to / from));
}

/* Rows rise too: a row is at least what those before it are, and between two
 * the weight depends on the row alone. */
static double rising_at(const struct atlas *a, const struct surface *s,
			double row, double x)
{
	struct bracket b = bracket_of(s->row, 0, s->n_rows, row);
	double below = 0, above;
	for (uint32_t i = 0; i <= b.below; i++)
		below = fmax(below, rising_in_row(a, s, i, x));
	if (row > s->row[s->n_rows - 1])
		return below * sc_law_us(&a->law, s->shape, row, x) /
		       sc_law_us(&a->law, s->shape, s->row[b.below], x);
	if (b.above == b.below)
		return below;
	above = fmax(below, rising_in_row(a, s, b.above, x));
	return below * exp(log(above / below) * b.weight);
}

struct answer surface_at(const struct atlas *a, const struct surface *s,
			 double row, double x)
{
	double law = sc_law_us(&a->law, s->shape, row, x);
	struct answer to = {law, SC_FALLBACK};
	if (!s->n_rows)
		return to;
	to.provenance = s->provenance;
	double r = residual_at(s, row, x, &to.provenance);
	if (a->monotone) {
		to.us = rising_at(a, s, row, x);
		return to;
	}
	double point = point_us(s, row, x);
	to.us = isnan(point) ? law * exp(r) : point;
	return to;
}

/* ---- shapes that were not measured ---- */

static int same_shape(const double a[3], const double b[3])
{
	return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* The one of that tp, where a table has a shape for several. */
static const struct surface *measured(const struct atlas *a, double n, double k,
				      double rest, double tp)
{
	const double shape[3] = {n, k, rest};
	const struct surface *found = NULL;
	for (uint32_t i = 0; i < a->n_surfaces; i++)
		if (same_shape(a->surface[i].shape, shape) &&
		    (!found || a->surface[i].tp == tp))
			found = &a->surface[i];
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
static void blend_near(const struct atlas *a, const double shape[3],
		       struct blend *b)
{
	double at[4], power = a->law.op == SC_OP_DECODE ? 3 : 2, sum = 0;
	coordinates(a->law.op, shape, at);
	b->n = 0;
	for (uint32_t i = 0; i < a->n_surfaces; i++) {
		double c[4], d = 0;
		coordinates(a->law.op, a->surface[i].shape, c);
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
			b->of[to] = &a->surface[i];
		}
	}
	for (uint32_t i = 0; i < b->n; i++)
		sum += b->weight[i];
	for (uint32_t i = 0; i < b->n; i++)
		b->weight[i] /= sum;
	b->provenance = SC_SUBSTITUTED;
}

/* The measured value of dimension `dim` next below v (or, side 1, above). */
static double side_of(const struct atlas *a, int dim, double v, int side,
		      int *clamped)
{
	double best = NAN, other = NAN;
	for (uint32_t i = 0; i < a->n_surfaces; i++) {
		double s = a->surface[i].shape[dim];
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
static double blend_grid(const struct atlas *a, const double shape[3],
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
		const struct surface *s =
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

static void blend_for(const struct atlas *a, const double shape[3], double tp,
		      struct blend *b)
{
	const struct surface *s = measured(a, shape[0], shape[1], shape[2], tp);
	*b = (struct blend){.provenance = SC_FALLBACK};
	if (s) {
		*b = (struct blend){
		    .n = 1, .provenance = SC_EXACT, .of = {s}, .weight = {1}};
		return;
	}
	if (!a->n_surfaces)
		return;
	int grid = a->law.op == SC_OP_GEMM || a->law.op == SC_OP_ALL_REDUCE;
	if (!grid || blend_grid(a, shape, b) < 0.5)
		blend_near(a, shape, b);
}

/* Decode kernels keep as many blocks busy as batch * kv heads: a shape is like
 * another at the batch that makes these equal.  What a row of `of` is then. */
static double row_scale(const struct atlas *a, const double shape[3],
			const struct surface *of)
{
	return a->law.op == SC_OP_DECODE ? of->shape[1] / shape[1] : 1;
}

static uint32_t insert_sorted(double *at, uint32_t n, double v)
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

static void name_shape(const struct atlas *a, const struct blend *b,
		       struct surface *s)
{
	const double *v = b->n ? b->of[0]->shape : s->shape;
	const char *more = b->n > 1 ? " and near" : "";
	if (!b->n)
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

/* Fills s, which has room, with all rows and points of the blend's shapes. */
static void mix(const struct atlas *a, const double shape[3],
		const struct blend *b, struct surface *s, double *knots)
{
	uint32_t n_knots = 0, point = 0, unused = 0;
	memcpy(s->shape, shape, sizeof s->shape);
	s->provenance = b->provenance;
	if (b->n)
		s->provenance = worse(s->provenance, b->of[0]->provenance);
	s->n_rows = 0;
	name_shape(a, b, s);
	for (uint32_t i = 0; i < b->n; i++) {
		const struct surface *of = b->of[i];
		double scale = row_scale(a, shape, of);
		for (uint32_t j = 0; j < of->n_rows; j++)
			s->n_rows = insert_sorted(s->row, s->n_rows,
						  of->row[j] * scale);
		for (uint32_t j = 0; j < of->start[of->n_rows]; j++)
			n_knots = insert_sorted(knots, n_knots, of->x[j]);
	}
	for (uint32_t row = 0; row < s->n_rows; row++) {
		s->start[row] = point;
		for (uint32_t j = 0; j < n_knots; j++, point++) {
			double r = 0;
			for (uint32_t i = 0; i < b->n; i++)
				r += b->weight[i] *
				     residual_at(
					 b->of[i],
					 s->row[row] /
					     row_scale(a, shape, b->of[i]),
					 knots[j], &unused);
			double us = exp(r) * sc_law_us(&a->law, shape,
						       s->row[row], knots[j]);
			if (a->monotone && j)
				us = fmax(us, s->us[point - 1]);
			s->x[point] = knots[j];
			s->residual[point] = r;
			s->us[point] = us;
		}
	}
	s->start[s->n_rows] = point;
}

/* ---- building ---- */

static int surface_room(struct surface *s, uint32_t rows, uint32_t points)
{
	*s = (struct surface){
	    .start = calloc(rows + 1, sizeof *s->start),
	    .made = calloc(rows + 1, 1),
	    .row = calloc(rows + 3 * (size_t)points + 1, sizeof *s->row)};
	if (!s->start || !s->made || !s->row) {
		surface_free(s);
		return -1;
	}
	s->x = s->row + rows;
	s->residual = s->x + points;
	s->us = s->residual + points;
	return 0;
}

void surface_free(struct surface *s)
{
	free(s->start);
	free(s->made);
	free(s->row);
	*s = (struct surface){0};
}

static int32_t copy_surface(const struct surface *from, struct surface *to,
			    sc_error *err)
{
	uint32_t rows = from->n_rows, points = from->start[rows];
	if (surface_room(to, rows, points) < 0)
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

const struct surface *atlas_ask(struct atlas *a, const double shape[3],
				double tp)
{
	struct blend b;
	blend_for(a, shape, tp, &b);
	if (b.provenance == SC_EXACT)
		return b.of[0];
	mix(a, shape, &b, &a->scratch, a->knots);
	return &a->scratch;
}

int32_t atlas_resolve(const struct atlas *a, const double shape[3], double tp,
		      struct surface *s, sc_error *err)
{
	struct blend b;
	blend_for(a, shape, tp, &b);
	if (b.provenance == SC_EXACT)
		return copy_surface(b.of[0], s, err);
	double *knots = calloc(a->scratch_points + 1, sizeof *knots);
	if (!knots || surface_room(s, a->scratch_rows, a->scratch_points) < 0) {
		free(knots);
		return sc_fail(err, SC_ENOMEM, "out of memory");
	}
	mix(a, shape, &b, s, knots);
	free(knots);
	return SC_OK;
}

/* A measured point as it stands in a table. */
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
			      .tp = sc_column(t, "tp")};
	for (uint32_t i = 0; i < t->n_cols; i++)
		if (!strcmp(t->col_name[i], "dtype"))
			c->format = t->text[i];
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

static int32_t collect(const struct sc_law_kind *kind, const sc_table *t,
		       uint32_t format, struct point *to, uint64_t *n,
		       sc_error *err)
{
	struct columns c;
	int32_t rc = find_columns(kind, t, &c, err);
	*n = 0;
	for (uint64_t i = 0; rc == SC_OK && i < t->n_rows; i++) {
		if (sc_format_kernels(sc_format_named(c.format[i])) != format)
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

static int32_t fill_surface(struct atlas *a, struct surface *s,
			    const struct point *p, uint32_t n, sc_error *err)
{
	struct blend self = {.n = 1, .of = {s}};
	uint32_t rows = 1;
	for (uint32_t i = 1; i < n; i++)
		rows += p[i].row != p[i - 1].row;
	if (surface_room(s, rows, n) < 0)
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
	name_shape(a, &self, s);
	return SC_OK;
}

static int32_t fill_atlas(struct atlas *a, const struct point *p, uint64_t n,
			  sc_error *err)
{
	uint64_t shapes = 0;
	for (uint64_t i = 0; i < n; i++)
		shapes += !i || !same_place(&p[i], &p[i - 1]);
	a->surface = calloc(shapes + 1, sizeof *a->surface);
	if (!a->surface)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	for (uint64_t i = 0, next; i < n; i = next) {
		for (next = i + 1; next < n; next++)
			if (!same_place(&p[i], &p[next]))
				break;
		int32_t rc = fill_surface(a, &a->surface[a->n_surfaces], p + i,
					  (uint32_t)(next - i), err);
		if (rc != SC_OK)
			return rc;
		a->n_surfaces++;
	}
	return SC_OK;
}

/* ---- rows between rows
 * ------------------------------------------------------- Attention with twice
 * the heads at half the batch is the same work on as many blocks: where a table
 * has batches 1 and 4, the shape with twice the heads tells about 2.  Held out,
 * that halves the error of decode. */

#define MAX_DONORS 8
#define LEAST_GAP 3.0 /* ratio of rows that is worth a row between them    */
#define FARTHEST 2.2  /* squared distance of a donor                       */

struct donor {
	const struct surface *of;
	double row, distance;
};
struct gap {
	uint32_t below;
	uint32_t n;
	double row;
	struct donor donor[MAX_DONORS];
};

/* Squared distance of shapes by what stays different at equal work, or
 * INFINITY: another kernel. */
static double strangeness(const struct atlas *a, const double shape[3],
			  const double other[3])
{
	int dim = a->law.op == SC_OP_DECODE;
	double work = log(other[dim] / shape[dim]);
	double group =
	    log(other[1 - dim] / other[dim] * shape[dim] / shape[1 - dim]);
	if (shape[2] != other[2] ||
	    (shape[0] == shape[1]) != (other[0] == other[1]))
		return INFINITY;
	return work * work + 0.25 * group * group;
}

/* The measured row of `of` that is the same work as `row` of shape. */
static int donates(const struct atlas *a, const double shape[3], double row,
		   const struct surface *of, struct donor *d)
{
	int dim = a->law.op == SC_OP_DECODE;
	*d = (struct donor){of, row * shape[dim] / of->shape[dim],
			    strangeness(a, shape, of->shape)};
	if (!(d->distance > 0) || d->distance > FARTHEST)
		return 0;
	struct bracket b = bracket_of(of->row, 0, of->n_rows, d->row);
	return b.provenance == SC_EXACT;
}

static void find_donors(const struct atlas *a, const struct surface *s,
			struct gap *g)
{
	struct donor d;
	g->n = 0;
	for (uint32_t i = 0; i < a->n_surfaces; i++) {
		if (!donates(a, s->shape, g->row, &a->surface[i], &d))
			continue;
		uint32_t to = g->n < MAX_DONORS ? g->n++ : MAX_DONORS;
		for (; to > 0 && g->donor[to - 1].distance > d.distance; to--)
			if (to < MAX_DONORS)
				g->donor[to] = g->donor[to - 1];
		if (to < MAX_DONORS)
			g->donor[to] = d;
	}
}

/* The residual halfway: mostly the donors', partly that of linear
 * interpolation (shares by cross-validation). */
static double between(const struct atlas *a, const struct surface *s,
		      const struct gap *g, double x)
{
	uint32_t used = 0, unused = 0;
	double sum = 0, weights = 0;
	double share = a->law.op == SC_OP_DECODE ? 0.7 : 0.5;
	double linear = residual_at(s, g->row, x, &unused);
	for (uint32_t i = 0; i < g->n && used < MAX_NEAR; i++) {
		uint32_t provenance = SC_EXACT;
		double r = residual_at(g->donor[i].of, g->donor[i].row, x,
				       &provenance);
		double weight = 1 / fmax(0.01, g->donor[i].distance);
		if (provenance == SC_CLAMPED)
			continue;
		sum += weight * r;
		weights += weight;
		used++;
	}
	return used ? linear + share * (sum / weights - linear) : linear;
}

static void add_point(const struct atlas *a, struct surface *to, uint32_t at,
		      double row, double x, double residual)
{
	double us = exp(residual) * sc_law_us(&a->law, to->shape, row, x);
	if (a->monotone && at > to->start[to->n_rows])
		us = fmax(us, to->us[at - 1]);
	to->x[at] = x;
	to->residual[at] = residual;
	to->us[at] = us;
}

static void copy_row(const struct surface *from, uint32_t row,
		     struct surface *to)
{
	uint32_t at = to->start[to->n_rows], first = from->start[row];
	uint32_t n = from->start[row + 1] - first;
	memcpy(to->x + at, from->x + first, n * sizeof *to->x);
	memcpy(to->us + at, from->us + first, n * sizeof *to->x);
	memcpy(to->residual + at, from->residual + first, n * sizeof *to->x);
	to->row[to->n_rows++] = from->row[row];
	to->start[to->n_rows] = at + n;
}

/* Points where the narrower of its neighbours, the row above, has them. */
static void make_row(const struct atlas *a, const struct surface *from,
		     const struct gap *g, struct surface *to)
{
	uint32_t at = to->start[to->n_rows];
	for (uint32_t j = from->start[g->below + 1];
	     j < from->start[g->below + 2]; j++, at++)
		add_point(a, to, at, g->row, from->x[j],
			  between(a, from, g, from->x[j]));
	to->made[to->n_rows] = 1;
	to->row[to->n_rows++] = g->row;
	to->start[to->n_rows] = at;
}

static int32_t densify_one(const struct atlas *a, const struct surface *from,
			   struct surface *to, sc_error *err)
{
	uint32_t points = from->start[from->n_rows];
	if (surface_room(to, 2 * from->n_rows, 2 * points) < 0)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	memcpy(to->shape, from->shape, sizeof to->shape);
	to->tp = from->tp;
	memcpy(to->used, from->used, sizeof to->used);
	for (uint32_t row = 0; row < from->n_rows; row++) {
		struct gap g = {.below = row};
		copy_row(from, row, to);
		if (row + 1 == from->n_rows ||
		    from->row[row + 1] < LEAST_GAP * from->row[row])
			continue;
		g.row = sqrt(from->row[row] * from->row[row + 1]);
		find_donors(a, from, &g);
		if (g.n)
			make_row(a, from, &g, to);
	}
	return SC_OK;
}

static int32_t densify(struct atlas *a, sc_error *err)
{
	int32_t rc = SC_OK;
	if (a->law.op != SC_OP_PREFILL && a->law.op != SC_OP_DECODE)
		return SC_OK;
	struct surface *dense = calloc(a->n_surfaces + 1, sizeof *dense);
	if (!dense)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	for (uint32_t i = 0; rc == SC_OK && i < a->n_surfaces; i++)
		rc = densify_one(a, &a->surface[i], &dense[i], err);
	for (uint32_t i = 0; i < a->n_surfaces; i++)
		surface_free(&a->surface[i]);
	free(a->surface);
	a->surface = dense;
	return rc;
}

/* A blend has no more places than the whole table has, and of rows those of
 * all its shapes. */
static int32_t make_scratch(struct atlas *a, uint64_t n, sc_error *err)
{
	double *rows = calloc(2 * n + 1, sizeof *rows);
	uint32_t n_rows = 0, n_knots = 0, most = 0;
	a->knots = calloc(n + 1, sizeof *a->knots);
	for (uint32_t i = 0; rows && a->knots && i < a->n_surfaces; i++) {
		const struct surface *s = &a->surface[i];
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
		     surface_room(&a->scratch, n_rows, n_rows * n_knots) < 0;
	free(rows);
	return failed ? sc_fail(err, SC_ENOMEM, "out of memory") : SC_OK;
}

int32_t atlas_build(struct atlas *a, const sc_table *t, uint32_t format,
		    sc_error *err)
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
		rc = fill_atlas(a, p, n, err);
	free(p);
	if (rc == SC_OK)
		rc = densify(a, err);
	return rc == SC_OK ? make_scratch(a, n, err) : rc;
}

void atlas_free(struct atlas *a)
{
	for (uint32_t i = 0; i < a->n_surfaces; i++)
		surface_free(&a->surface[i]);
	free(a->surface);
	surface_free(&a->scratch);
	free(a->knots);
}

void atlas_restate(struct atlas *a, const struct sc_law *law)
{
	a->law = *law;
	for (uint32_t i = 0; i < a->n_surfaces; i++) {
		struct surface *s = &a->surface[i];
		s->provenance = SC_SUBSTITUTED;
		for (uint32_t row = 0; row < s->n_rows; row++)
			for (uint32_t j = s->start[row]; j < s->start[row + 1];
			     j++) {
				s->us[j] = exp(s->residual[j]) *
					   sc_law_us(law, s->shape, s->row[row],
						     s->x[j]);
				if (a->monotone && j > s->start[row])
					s->us[j] = fmax(s->us[j], s->us[j - 1]);
			}
	}
}
