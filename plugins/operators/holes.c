/* holes.c -- Fills in what single shapes of experts lack, from the nearest
 * shapes: kernels change with the tokens at the same places. */
#include "holes.h"
#include "grow.h"

/* The point at x tokens; UINT32_MAX: not measured. */
static uint32_t point_at(const struct sc_surface *s, double x)
{
	for (uint32_t i = s->start[0]; i < s->start[1]; i++)
		if (s->x[i] == x)
			return i;
	return UINT32_MAX;
}

/* How far the residual at x is from the line through those at the two points
 * (or the one) around it; NaN: not all were measured. */
static double bend_of(const struct sc_surface *s, double x, double low,
		      double high, double t)
{
	uint32_t at = point_at(s, x), a = point_at(s, low),
		 b = point_at(s, high);
	if (at == UINT32_MAX || a == UINT32_MAX || b == UINT32_MAX)
		return (double)NAN;
	double from = s->residual[a];
	return s->residual[at] - (from + (s->residual[b] - from) * t);
}

/* The mean bend of the nearest shapes; NaN: none has one. */
static double bend_near(const struct source *f, const struct sc_surface *own,
			double x, const struct sc_bracket *b)
{
	const struct sc_moe shape = moe_shape_of(own->key);
	double low = own->x[b->low], high = own->x[b->high];
	struct sc_near near = {0};
	double sum = 0, weights = 0;
	for (uint32_t i = 0; i < f->n_surfaces; i++) {
		const struct sc_surface *of = &f->surface[i];
		struct sc_moe is = moe_shape_of(of->key);
		if (is.matrices == shape.matrices &&
		    !isnan(bend_of(of, x, low, high, b->t)))
			sc_near_keep(&near, of, sc_moe_distance(&shape, &is));
	}
	for (uint32_t i = 0; i < near.n; i++) {
		double w = moe_closeness(near.distance[i]);
		sum += w * bend_of(near.of[i], x, low, high, b->t);
		weights += w;
	}
	return near.n ? sum / weights : (double)NAN;
}

static void fill_hole(const struct source *f, const struct sc_surface *own,
		      struct sc_logged x, struct growing *g)
{
	uint32_t how = SC_EXACT;
	struct sc_bracket b = sc_bracket_of(own->x, own->log_x, own->start[0],
					    own->start[1], x, &how);
	double bend = bend_near(f, own, x.v, &b);
	if (!isnan(bend))
		grow_point(g, x, sc_surface_along(own, 0, x, &how) + bend, how);
}

/* The surface's points and the holes between and around them, ascending. */
static void fill_surface(struct inst *s, const struct source *f,
			 const struct sc_surface *own, struct sc_surface *to)
{
	struct growing g;
	uint32_t at = own->start[0], end = own->start[1];
	if (grow(&g, &s->arena, own, to, 1, end - at + f->n_m) < 0)
		return;
	for (uint32_t i = 0; i < f->n_m; i++) {
		struct sc_logged x = {f->m[i], f->log_m[i]};
		for (; at < end && own->x[at] <= x.v; at++)
			grow_point(&g, surface_point(own, at),
				   own->residual[at], own->how[at]);
		if (point_at(own, x.v) == UINT32_MAX)
			fill_hole(f, own, x, &g);
	}
	for (; at < end; at++)
		grow_point(&g, surface_point(own, at), own->residual[at],
			   own->how[at]);
	grow_row(&g, 1);
	grow_end(&g);
}

/* Leaves in f->m the tokens that more than half of the shapes have; 1: a shape
 * lacks one. */
static int has_holes(struct source *f)
{
	uint32_t kept = 0, points = 0;
	for (uint32_t i = 0; i < f->n_m; i++) {
		uint32_t n = 0;
		for (uint32_t j = 0; j < f->n_surfaces; j++)
			n += point_at(&f->surface[j], f->m[i]) != UINT32_MAX;
		if (2 * n <= f->n_surfaces)
			continue;
		f->m[kept] = f->m[i];
		f->log_m[kept++] = f->log_m[i];
		points += n;
	}
	f->n_m = kept;
	return points < kept * f->n_surfaces;
}

/* All surfaces; those without holes, or without room, as they are. */
static const struct sc_surface *filled(struct inst *s,
				       const struct source *from)
{
	struct source *f = &s->source[from - s->source];
	if (f->filled)
		return f->filled;
	if (has_holes(f))
		f->filled =
		    arena_take(&s->arena, f->n_surfaces, sizeof *f->filled);
	if (!f->filled)
		return f->filled = f->surface;
	for (uint32_t i = 0; i < f->n_surfaces; i++)
		fill_surface(s, f, &f->surface[i], &f->filled[i]);
	return f->filled;
}

const struct sc_surface *holes_filled(struct inst *s, const struct source *from,
				      const struct sc_surface *own)
{
	return &filled(s, from)[own - from->surface];
}
