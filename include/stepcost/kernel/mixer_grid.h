/* stepcost/kernel/mixer_grid.h -- header-only helper: residuals log(measured /
 * law) of one row key of mixer_rows.h on the grid of its axes.
 *
 * Between points the residual is linear in the logarithm of each axis, and a
 * corner that was not measured drops out with its weight.  Outside the axes it
 * is that of their ends.  Where no corner was measured, the nearest four points
 * answer.  The caller owns all memory; a lookup allocates nothing. */
#ifndef SC_MIXER_GRID_H
#define SC_MIXER_GRID_H
#include "stepcost/interp.h"
#include "stepcost/kernel/mixer_rows.h"

struct sc_mixer_grid {
	uint32_t n_axes;
	uint32_t n[SC_MIXER_AXES];      /* values of an axis */
	const double *v[SC_MIXER_AXES]; /* ascending */
	const double *log[SC_MIXER_AXES];
	uint32_t n_points;
	const double *residual;  /* [n_points] by place, ascending */
	const uint32_t *cell_of; /* [n_points] */
	/* [n[0] * n[1] * ...] point of each cell, plus 1; 0: not measured */
	const uint32_t *point_in;
};

/* Returns the cell of a place: a number of values of each axis. */
static inline uint32_t sc_mixer_cell(const struct sc_mixer_grid *g,
				     const uint32_t at[SC_MIXER_AXES])
{
	uint32_t cell = 0;
	for (uint32_t i = 0; i < g->n_axes; i++)
		cell = cell * g->n[i] + at[i];
	return cell;
}

static inline void sc_mixer_uncell(const struct sc_mixer_grid *g, uint32_t cell,
				   uint32_t at[SC_MIXER_AXES])
{
	for (uint32_t i = g->n_axes; i-- > 0;) {
		at[i] = cell % g->n[i];
		cell /= g->n[i];
	}
}

/* ---- the nearest four ---- */

#define SC_MIXER_NEAREST 4

/* Distances are sums in the order of the axes.  On these grids many points are
 * equally far, and then the first of them counts. */
static inline double sc_mixer_distance(const struct sc_mixer_grid *g,
				       uint32_t cell,
				       const double log_at[SC_MIXER_AXES])
{
	uint32_t at[SC_MIXER_AXES] = {0};
	double d = 0;
	sc_mixer_uncell(g, cell, at);
	for (uint32_t i = 0; i < g->n_axes; i++)
		d += fabs(g->log[i][at[i]] - log_at[i]);
	return d;
}

static inline double sc_mixer_nearest(const struct sc_mixer_grid *g,
				      const double log_at[SC_MIXER_AXES])
{
	double d[SC_MIXER_NEAREST], of[SC_MIXER_NEAREST], sum = 0, weights = 0;
	uint32_t n = 0;
	for (uint32_t p = 0; p < g->n_points; p++) {
		double is = sc_mixer_distance(g, g->cell_of[p], log_at);
		uint32_t to = n;
		while (to > 0 && d[to - 1] > is)
			to--;
		if (to == SC_MIXER_NEAREST)
			continue;
		n += n < SC_MIXER_NEAREST;
		for (uint32_t i = n - 1; i > to; i--) {
			d[i] = d[i - 1];
			of[i] = of[i - 1];
		}
		d[to] = is;
		of[to] = g->residual[p];
	}
	for (uint32_t i = 0; i < n; i++) {
		double weight = 1 / ((d[i] + .05) * (d[i] + .05));
		sum += weight * of[i];
		weights += weight;
	}
	return sum / weights;
}

/* ---- lookup ---- */

/* The place of a value, by its logarithm. */
static inline struct sc_place sc_mixer_place(const double *v, const double *log,
					     uint32_t n, double at,
					     double log_at)
{
	struct sc_place p = sc_locate(v, n, at);
	if (p.t > 0)
		p.t = (log_at - log[p.low]) / (log[p.low + 1] - log[p.low]);
	return p;
}

/* Returns the residual at a place; table: that of the grid; g->n_points > 0.
 * *provenance gets worse if the place is no point. */
static inline double sc_mixer_residual(const struct sc_mixer_grid *g,
				       uint32_t table,
				       const double axis[SC_MIXER_AXES],
				       uint32_t *provenance)
{
	struct sc_place place[SC_MIXER_AXES];
	double log_at[SC_MIXER_AXES], sum = 0, weights = 0;
	uint32_t how = SC_EXACT;
	for (uint32_t i = 0; i < g->n_axes; i++) {
		log_at[i] = sc_mixer_log(table, i, axis[i]);
		place[i] = sc_mixer_place(g->v[i], g->log[i], g->n[i], axis[i],
					  log_at[i]);
		how = sc_worse(how, place[i].how);
	}
	for (uint32_t corner = 0; corner < 1u << g->n_axes; corner++) {
		uint32_t cell = 0;
		double weight = 1;
		for (uint32_t i = 0; i < g->n_axes; i++) {
			uint32_t high = corner >> i & 1;
			weight *= high ? place[i].t : 1 - place[i].t;
			cell = cell * g->n[i] + place[i].low +
			       (high && place[i].t > 0);
		}
		if (weight > 0 && g->point_in[cell]) {
			sum += weight * g->residual[g->point_in[cell] - 1];
			weights += weight;
		}
	}
	if (weights > 0) {
		*provenance = sc_worse(*provenance, how);
		return sum / weights;
	}
	*provenance = sc_worse(*provenance, SC_SUBSTITUTED);
	return sc_mixer_nearest(g, log_at);
}
#endif
