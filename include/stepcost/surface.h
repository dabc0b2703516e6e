/* stepcost/surface.h -- header-only helper for plugins: residuals
 * log(measured / law) of one kernel shape, answered everywhere: linear in the
 * logarithm of x (a length, tokens) along a row, linear in the logarithm of
 * the row (a batch) between rows; rows and ends are clamped.
 *
 * A surface looks into arrays that somebody else owns, logarithms computed
 * beforehand: asking costs no transcendental function. */
#ifndef SC_SURFACE_H
#define SC_SURFACE_H
#include <math.h>
#include "stepcost/interp.h"

#define SC_SURFACE_KEYS 7

struct sc_surface {
	double key[SC_SURFACE_KEYS]; /* the shape */
	uint32_t n_rows;
	const uint32_t *start;       /* [n_rows + 1] first point of each row */
	const double *row, *log_row; /* [n_rows] ascending */
	const double *x, *log_x;     /* by point, ascending in a row */
	const double *residual;      /* by point */
	const unsigned char *how;    /* by point: SC_EXACT: measured */
};

/* A value with its logarithm. */
struct sc_logged {
	double v, log;
};
static inline struct sc_logged sc_logged_of(double v)
{
	return (struct sc_logged){v, log(v)};
}

/* Where a value stands among ascending ones. */
struct sc_bracket {
	uint32_t low, high; /* the same: on a point, or clamped */
	double t;           /* weight of high */
};

/* Among at[from .. to), from < to; *provenance: worsened. */
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
	*provenance = sc_worse(*provenance, SC_INTERPOLATED);
	return (struct sc_bracket){
	    low, high, (v.log - log_at[low]) / (log_at[high] - log_at[low])};
}

static inline double sc_surface_along(const struct sc_surface *s, uint32_t row,
				      struct sc_logged x, uint32_t *provenance)
{
	struct sc_bracket b = sc_bracket_of(s->x, s->log_x, s->start[row],
					    s->start[row + 1], x, provenance);
	double r = s->residual[b.low];
	if (s->how[b.low] | s->how[b.high])
		*provenance = sc_worse(*provenance,
				       sc_worse(s->how[b.low], s->how[b.high]));
	return r + (s->residual[b.high] - r) * b.t;
}

/* The residual at (row, x). */
static inline double sc_surface_at(const struct sc_surface *s,
				   struct sc_logged row, struct sc_logged x,
				   uint32_t *provenance)
{
	struct sc_bracket b =
	    sc_bracket_of(s->row, s->log_row, 0, s->n_rows, row, provenance);
	double r = sc_surface_along(s, b.low, x, provenance);
	if (b.high == b.low)
		return r;
	return r + (sc_surface_along(s, b.high, x, provenance) - r) * b.t;
}

/* ---- several surfaces in place of one that was not measured ---- */

#define SC_BLEND_PARTS 4

/* The nearest of those that it was given, nearest first. */
struct sc_near {
	uint32_t n;
	const struct sc_surface *of[SC_BLEND_PARTS];
	double distance[SC_BLEND_PARTS];
};
static inline void sc_near_keep(struct sc_near *near,
				const struct sc_surface *of, double distance)
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
	uint32_t n;          /* 0: nothing to ask */
	uint32_t provenance; /* of the shape */
	struct {
		const struct sc_surface *of;
		double weight;           /* they sum to 1 */
		struct sc_logged row, x; /* it is asked at so many times */
		double most_x;           /* and at x no higher; 0: any */
	} part[SC_BLEND_PARTS];
};

/* Adds a surface, asked at row and x as they are. */
static inline void sc_blend_add(struct sc_blend *b, const struct sc_surface *of,
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

/* b->n > 0.  Its provenance is the worse of the shape's and, for a shape of
 * its own, the point's. */
static inline double sc_blend_at(const struct sc_blend *b, struct sc_logged row,
				 struct sc_logged x, uint32_t *provenance)
{
	uint32_t worst = b->provenance;
	double sum = 0;
	for (uint32_t i = 0; i < b->n; i++) {
		struct sc_logged at = sc_logged_times(x, b->part[i].x);
		if (b->part[i].most_x > 0 && at.v > b->part[i].most_x)
			at = sc_logged_of(b->part[i].most_x);
		sum += b->part[i].weight *
		       sc_surface_at(b->part[i].of,
				     sc_logged_times(row, b->part[i].row), at,
				     &worst);
	}
	*provenance = sc_worse(*provenance, worst);
	return sum;
}
#endif
