/* stepcost/kernel/grid.h -- header-only helper for plugins: residuals
 * log(measured / law) of one kernel shape, defined everywhere: linear in the
 * logarithm of x (a length, tokens) along a row, linear in the logarithm of the
 * row (a batch) between rows, clamped at the ends.
 *
 * A grid points into arrays that it does not own, and their logarithms are
 * computed in advance, so a lookup costs no transcendental function. */
#ifndef SC_KERNEL_GRID_H
#define SC_KERNEL_GRID_H
#include <math.h>
#include "stepcost/interp.h"

#define SC_GRID_KEYS 7

struct sc_grid {
	double key[SC_GRID_KEYS]; /* the shape */
	uint32_t n_rows;
	const uint32_t *start;       /* [n_rows + 1] first point of each row */
	const double *row, *log_row; /* [n_rows] ascending */
	const double *x, *log_x;     /* per point, ascending within a row */
	const double *residual;      /* per point */
	const unsigned char *how;    /* per point; SC_EXACT: measured */
};

/* A value and its logarithm. */
struct sc_logged {
	double v, log;
};
static inline struct sc_logged sc_logged_of(double v)
{
	return (struct sc_logged){v, log(v)};
}

/* The place of a value on an ascending axis. */
struct sc_bracket {
	uint32_t low, high; /* equal: on a point, or clamped */
	double t;           /* weight of high */
};

/* The place between at[low] and the next point. */
static inline struct sc_bracket sc_bracket_in(const double *log_at,
					      uint32_t low, struct sc_logged v,
					      uint32_t *provenance)
{
	double from = log_at[low];
	*provenance = sc_worse(*provenance, SC_INTERPOLATED);
	return (struct sc_bracket){low, low + 1,
				   (v.log - from) / (log_at[low + 1] - from)};
}

/* The place among at[from .. to), where from < to.  *provenance gets worse if
 * the place is no point. */
static inline struct sc_bracket
sc_bracket_of(const double *at, const double *log_at, uint32_t from,
	      uint32_t to, struct sc_logged v, uint32_t *provenance)
{
	uint32_t low = from, high = to; /* at[low] <= v < at[high] */
	if (v.v < at[from] || v.v > at[to - 1]) {
		*provenance = sc_worse(*provenance, SC_CLAMPED);
		low = v.v < at[from] ? from : to - 1;
		return (struct sc_bracket){low, low, 0};
	}
	while (high - low > 1) {
		uint32_t mid = low + (high - low) / 2;
		if (at[mid] <= v.v)
			low = mid;
		else
			high = mid;
	}
	if (at[low] == v.v)
		return (struct sc_bracket){low, low, 0};
	return sc_bracket_in(log_at, low, v, provenance);
}

/* The place of x along a row. */
static inline struct sc_bracket sc_grid_bracket(const struct sc_grid *s,
						uint32_t row,
						struct sc_logged x,
						uint32_t *provenance)
{
	return sc_bracket_of(s->x, s->log_x, s->start[row], s->start[row + 1],
			     x, provenance);
}
static inline double sc_grid_in(const struct sc_grid *s, struct sc_bracket b,
				uint32_t *provenance)
{
	double r = s->residual[b.low];
	if (s->how[b.low] | s->how[b.high])
		*provenance = sc_worse(*provenance,
				       sc_worse(s->how[b.low], s->how[b.high]));
	return r + (s->residual[b.high] - r) * b.t;
}
static inline double sc_grid_along(const struct sc_grid *s, uint32_t row,
				   struct sc_logged x, uint32_t *provenance)
{
	return sc_grid_in(s, sc_grid_bracket(s, row, x, provenance),
			  provenance);
}

/* The place of a row among the rows of a grid. */
static inline struct sc_bracket sc_grid_rows(const struct sc_grid *s,
					     struct sc_logged row,
					     uint32_t *provenance)
{
	return sc_bracket_of(s->row, s->log_row, 0, s->n_rows, row, provenance);
}

/* The points that answered the last lookup.  Every x between the same points of
 * two rows, or beyond their ends, has the same ones.  Empty (from == to) if x
 * was a point. */
struct sc_patch {
	double from, to; /* range of x, ends excluded; above 0 */
	/* On the lower row and on the higher row: */
	double log_from[2], log_width[2];
	/* at the first point; increase to the second */
	double residual[2], more[2];
	uint32_t provenance;
};

static inline void sc_patch_row(struct sc_patch *p, int i,
				const struct sc_grid *s, struct sc_bracket b,
				double x)
{
	double from = s->x[b.low], to = s->x[b.high];
	/* x is on the point, or beyond the end */
	int is_point = b.low == b.high;
	if (is_point && x < from)
		from = 0;
	if (is_point && x > to)
		to = HUGE_VAL;
	p->from = i && p->from > from ? p->from : from;
	p->to = i && p->to < to ? p->to : to;
	p->log_from[i] = s->log_x[b.low];
	p->log_width[i] = is_point ? 1 : s->log_x[b.high] - s->log_x[b.low];
	p->residual[i] = s->residual[b.low];
	p->more[i] = s->residual[b.high] - s->residual[b.low];
}

/* Finds the residuals of two rows at x, and the patch that x lies in. */
static inline void sc_patch_find(const struct sc_grid *s,
				 struct sc_bracket rows, struct sc_logged x,
				 struct sc_patch *p, double r[2])
{
	p->provenance = SC_EXACT;
	for (int i = 0; i < 2; i++) {
		uint32_t row = i ? rows.high : rows.low;
		struct sc_bracket b =
		    sc_grid_bracket(s, row, x, &p->provenance);
		r[i] = sc_grid_in(s, b, &p->provenance);
		sc_patch_row(p, i, s, b, x.v);
	}
}

/* Returns the residual at x between rows.  *p is zeroed before the first call
 * and belongs to these rows. */
static inline double sc_grid_between(const struct sc_grid *s,
				     struct sc_bracket rows, struct sc_logged x,
				     struct sc_patch *p, uint32_t *provenance)
{
	double r[2];
	if (p->from < x.v && x.v < p->to)
		for (int i = 0; i < 2; i++)
			r[i] = p->residual[i] +
			       p->more[i] *
				   ((x.log - p->log_from[i]) / p->log_width[i]);
	else
		sc_patch_find(s, rows, x, p, r);
	*provenance = sc_worse(*provenance, p->provenance);
	return r[0] + (r[1] - r[0]) * rows.t;
}
/* Returns the residual at (row, x). */
static inline double sc_grid_at(const struct sc_grid *s, struct sc_logged row,
				struct sc_logged x, uint32_t *provenance)
{
	struct sc_patch patch = {0};
	return sc_grid_between(s, sc_grid_rows(s, row, provenance), x, &patch,
			       provenance);
}

/* ---- several grids replace one that was not measured ---- */

#define SC_BLEND_PARTS 4

/* The grids nearest to a shape, nearest first. */
struct sc_near {
	uint32_t n;
	const struct sc_grid *of[SC_BLEND_PARTS];
	double distance[SC_BLEND_PARTS];
};
static inline void sc_near_keep(struct sc_near *near, const struct sc_grid *of,
				double distance)
{
	uint32_t to = near->n;
	while (to > 0 && near->distance[to - 1] > distance)
		to--;
	if (to == SC_BLEND_PARTS)
		return;
	near->n += near->n < SC_BLEND_PARTS;
	for (uint32_t i = near->n - 1; i > to; i--) {
		near->of[i] = near->of[i - 1];
		near->distance[i] = near->distance[i - 1];
	}
	near->of[to] = of;
	near->distance[to] = distance;
}

struct sc_blend {
	uint32_t n;          /* 0: no grid */
	uint32_t provenance; /* of the shape */
	struct {
		const struct sc_grid *of;
		double weight; /* they sum to 1 */
		/* factors on the row and x that are asked for */
		struct sc_logged row, x;
		double most_x; /* x is capped at this; 0: no cap */
	} part[SC_BLEND_PARTS];
};

/* Adds a grid that is asked at the same row and x. */
static inline void sc_blend_add(struct sc_blend *b, const struct sc_grid *of,
				double weight)
{
	b->part[b->n].of = of;
	b->part[b->n].weight = weight;
	b->part[b->n].row = b->part[b->n].x = (struct sc_logged){1, 0};
	b->part[b->n++].most_x = 0;
}

static inline struct sc_logged sc_logged_times(struct sc_logged a,
					       struct sc_logged b)
{
	return (struct sc_logged){a.v * b.v, a.log + b.log};
}

/* The place of one row in each part, for callers that ask at many x. */
struct sc_blend_rows {
	struct sc_bracket at[SC_BLEND_PARTS];
	struct sc_patch patch[SC_BLEND_PARTS];
	uint32_t provenance; /* the worst of all parts */
};
static inline void sc_blend_rows_of(const struct sc_blend *b,
				    struct sc_logged row,
				    struct sc_blend_rows *rows)
{
	rows->provenance = SC_EXACT;
	for (uint32_t i = 0; i < b->n; i++) {
		rows->at[i] = sc_grid_rows(b->part[i].of,
					   sc_logged_times(row, b->part[i].row),
					   &rows->provenance);
		rows->patch[i] = (struct sc_patch){0};
	}
}

/* Returns the residual; b->n > 0.  *provenance gets the worst of the shape's
 * and of the points'. */
static inline double sc_blend_between(const struct sc_blend *b,
				      struct sc_blend_rows *rows,
				      struct sc_logged x, uint32_t *provenance)
{
	uint32_t worst = sc_worse(b->provenance, rows->provenance);
	double sum = 0;
	for (uint32_t i = 0; i < b->n; i++) {
		struct sc_logged at = sc_logged_times(x, b->part[i].x);
		if (b->part[i].most_x > 0 && at.v > b->part[i].most_x)
			at = sc_logged_of(b->part[i].most_x);
		sum += b->part[i].weight *
		       sc_grid_between(b->part[i].of, rows->at[i], at,
				       &rows->patch[i], &worst);
	}
	*provenance = sc_worse(*provenance, worst);
	return sum;
}
static inline double sc_blend_at(const struct sc_blend *b, struct sc_logged row,
				 struct sc_logged x, uint32_t *provenance)
{
	struct sc_blend_rows rows;
	sc_blend_rows_of(b, row, &rows);
	return sc_blend_between(b, &rows, x, provenance);
}
#endif
