/* missing_points.c -- Fills in what single shapes of experts and latent
 * attention lack, from the nearest shapes: kernels change with tokens or
 * lengths at the same places. */
#include "read/missing_points.h"
#include "inst.h"
#include "read/grow.h"

/* Return the place of a row or a point in a grid; NOWHERE: it was not
 * measured. */
#define NOWHERE UINT32_MAX
static uint32_t row_at(const struct sc_grid *s, double row)
{
	for (uint32_t i = 0; i < s->n_rows; i++)
		if (s->row[i] == row)
			return i;
	return NOWHERE;
}
static uint32_t point_at(const struct sc_grid *s, uint32_t row, double x)
{
	for (uint32_t i = s->start[row]; i < s->start[row + 1]; i++)
		if (s->x[i] == x)
			return i;
	return NOWHERE;
}

/* A point that a row lacks, and the points of the row around it. */
struct hole {
	double row;
	struct sc_logged x;
	double low, high, t;
};

/* How far the residual in a hole is, in another shape, from the line through
 * those at the two points (or the one) around it; NaN: not all were
 * measured. */
static double bend_of(const struct sc_grid *s, const struct hole *h)
{
	uint32_t row = row_at(s, h->row);
	if (row == NOWHERE)
		return (double)NAN;
	uint32_t at = point_at(s, row, h->x.v), a = point_at(s, row, h->low),
		 b = point_at(s, row, h->high);
	if (at == NOWHERE || a == NOWHERE || b == NOWHERE)
		return (double)NAN;
	double from = s->residual[a];
	return s->residual[at] - (from + (s->residual[b] - from) * h->t);
}

static double residual_at(const struct sc_grid *s, double row, double x)
{
	return s->residual[point_at(s, row_at(s, row), x)];
}

/* From 1 to 0: the weights of the experts that are hit stay in the GPU's cache,
 * or do not. */
static double fits_cache(const struct numbers *n, const struct row_group *f,
			 const struct sc_moe *s, double tokens)
{
	double bytes =
	    sc_moe_hit(s, tokens) * sc_moe_weights(s) * f->law.weight;
	double times = bytes / n->cache_bytes;
	return 1 / (1 + times * times * times);
}

/* How unlike another shape is, by its sizes; NaN: it says nothing. */
static double sizes_distance(const struct numbers *n, const struct row_group *f,
			     const struct sc_grid *own,
			     const struct sc_grid *other, double x)
{
	if (f->law.op != SC_OPLAW_MOE)
		return fabs(log(own->key[0] / other->key[0])); /* heads */
	struct sc_moe a = moe_shape_of(own->key), b = moe_shape_of(other->key);
	if (a.matrices != b.matrices)
		return (double)NAN;
	return sc_moe_distance(&a, &b) +
	       n->cache_distance *
		   fabs(fits_cache(n, f, &a, x) - fits_cache(n, f, &b, x));
}

/* And by its residuals at the points around the hole: kernels in the same
 * regime have the same ones. */
static double distance_of(const struct numbers *n, const struct row_group *f,
			  const struct sc_grid *own,
			  const struct sc_grid *other, const struct hole *h)
{
	if (isnan(bend_of(other, h)))
		return (double)NAN;
	return sizes_distance(n, f, own, other, h->x.v) +
	       n->residual_distance * fabs(residual_at(own, h->row, h->low) -
					   residual_at(other, h->row, h->low)) +
	       n->residual_distance * fabs(residual_at(own, h->row, h->high) -
					   residual_at(other, h->row, h->high));
}

/* Keeps the nearest shapes of a source; `further` is added to each distance. */
static void keep_near(struct sc_near *near, const struct numbers *n,
		      const struct row_group *f, const struct sc_grid *own,
		      const struct hole *h, double further)
{
	for (uint32_t i = 0; f && i < f->n_grids; i++) {
		double distance = distance_of(n, f, own, &f->grid[i], h);
		if (!isnan(distance))
			sc_near_keep(near, &f->grid[i], distance + further);
	}
}

/* Rows that a source's missing points are filled from: its own, and those with
 * the other KV cache, if they have one. */
struct rows {
	const struct numbers *n;
	const struct row_group *of, *other_kv; /* the latter may be NULL */
};

/* The mean bend of the nearest shapes; NaN: none has one. */
static double bend_near(const struct rows *from, const struct sc_grid *own,
			const struct hole *h)
{
	struct sc_near near = {0};
	double sum = 0, weights = 0;
	keep_near(&near, from->n, from->of, own, h, 0);
	keep_near(&near, from->n, from->other_kv, own, h,
		  from->n->other_kv_distance);
	for (uint32_t i = 0; i < near.n; i++) {
		double w = moe_weight(from->n, near.distance[i]);
		sum += w * bend_of(near.of[i], h);
		weights += w;
	}
	return near.n ? sum / weights : (double)NAN;
}

static void fill_missing_point(const struct rows *from,
			       const struct sc_grid *own, uint32_t row,
			       struct sc_logged x, struct growing *g)
{
	uint32_t how = SC_EXACT;
	struct sc_bracket b = sc_grid_bracket(own, row, x, &how);
	const struct hole h = {own->row[row], x, own->x[b.low], own->x[b.high],
			       b.t};
	double bend = bend_near(from, own, &h);
	if (!isnan(bend))
		grow_point(g, x, sc_grid_in(own, b, &how) + bend, how);
}

/* More than half of the shapes have it. */
static int is_usual(const struct row_group *f, double row, double x)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < f->n_grids; i++) {
		uint32_t at = row_at(&f->grid[i], row);
		n += at != NOWHERE && point_at(&f->grid[i], at, x) != NOWHERE;
	}
	return 2 * n > f->n_grids;
}

static int is_missing_point(const struct row_group *f,
			    const struct sc_grid *own, uint32_t row, double x)
{
	return point_at(own, row, x) == NOWHERE &&
	       is_usual(f, own->row[row], x);
}

/* The row's points and the missing points between and around them, ascending.
 */
static void fill_row(const struct rows *from, const struct sc_grid *own,
		     uint32_t row, struct growing *g)
{
	const struct row_group *f = from->of;
	uint32_t at = own->start[row], end = own->start[row + 1];
	for (uint32_t i = 0; i < f->n_m; i++) {
		struct sc_logged x = {f->m[i], f->log_m[i]};
		for (; at < end && own->x[at] <= x.v; at++)
			grow_point(g, grid_point(own, at), own->residual[at],
				   own->how[at]);
		if (is_missing_point(f, own, row, x.v))
			fill_missing_point(from, own, row, x, g);
	}
	for (; at < end; at++)
		grow_point(g, grid_point(own, at), own->residual[at],
			   own->how[at]);
	grow_row(g, own->row[row]);
}

static void fill_surface(struct inst *s, const struct rows *from,
			 const struct sc_grid *own, struct sc_grid *to)
{
	struct growing g;
	uint32_t points = own->start[own->n_rows] - own->start[0];
	if (grow(&g, &s->arena, own, to, own->n_rows,
		 points + (size_t)own->n_rows * from->of->n_m) < 0)
		return;
	for (uint32_t row = 0; row < own->n_rows; row++)
		fill_row(from, own, row, &g);
	grow_end(&g);
}

/* More than half of the shapes have a point there, in any row. */
static int is_common(const struct row_group *f, double x)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < f->n_grids; i++) {
		const struct sc_grid *s = &f->grid[i];
		uint32_t row = 0;
		while (row < s->n_rows && point_at(s, row, x) == NOWHERE)
			row++;
		n += row < s->n_rows;
	}
	return 2 * n > f->n_grids;
}

/* Leaves in f->m the numbers that are common. */
static void keep_common(struct row_group *f)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < f->n_m; i++) {
		if (!is_common(f, f->m[i]))
			continue;
		f->m[kept] = f->m[i];
		f->log_m[kept++] = f->log_m[i];
	}
	f->n_m = kept;
}

static int has_missing_points(const struct row_group *f)
{
	for (uint32_t j = 0; j < f->n_grids; j++)
		for (uint32_t row = 0; row < f->grid[j].n_rows; row++)
			for (uint32_t i = 0; i < f->n_m; i++)
				if (is_missing_point(f, &f->grid[j], row,
						     f->m[i]))
					return 1;
	return 0;
}

static const struct row_group *other_kv_of(struct inst *s,
					   const struct row_group *f)
{
	struct row_key like = f->row_key;
	if (!like.law.kv)
		return NULL;
	like.law.kv = strcmp(like.law.kv, "bf16") ? "bf16" : "fp8";
	return row_group_of(s, f->set, &like);
}

/* All grids; those without missing points, or without room, as they are. */
static const struct sc_grid *filled(struct inst *s,
				    const struct row_group *from)
{
	struct row_group *f = &s->row_group[from - s->row_group];
	if (f->filled)
		return f->filled;
	keep_common(f);
	if (has_missing_points(f))
		f->filled =
		    arena_take(&s->arena, f->n_grids, sizeof *f->filled);
	if (!f->filled)
		return f->filled = f->grid;
	const struct rows rows = {&s->number, f, other_kv_of(s, f)};
	for (uint32_t i = 0; i < f->n_grids; i++)
		fill_surface(s, &rows, &f->grid[i], &f->filled[i]);
	return f->filled;
}

const struct sc_grid *missing_points_filled(struct inst *s,
					    const struct row_group *from,
					    const struct sc_grid *own)
{
	return &filled(s, from)[own - from->grid];
}
