/* grid.c -- Sorts the points of a law into the cells of their axes. */
#include "read/grid.h"
#include <stdlib.h>

/* ---- axes ---- */

static int by_value(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;
	return a < b ? -1 : a > b;
}

/* Fills in the different values of each axis; v: room for n of each. */
static void read_axes(struct sc_mixer_grid *g, uint32_t table, double *v[],
		      double *logs[], uint32_t n)
{
	for (uint32_t i = 0; i < g->n_axes; i++) {
		uint32_t kept = 0;
		qsort(v[i], n, sizeof *v[i], by_value);
		for (uint32_t p = 0; p < n; p++)
			if (!p || v[i][p] != v[i][p - 1])
				v[i][kept++] = v[i][p];
		for (uint32_t p = 0; p < kept; p++)
			logs[i][p] = sc_mixer_log(table, i, v[i][p]);
		g->n[i] = kept;
		g->v[i] = v[i];
		g->log[i] = logs[i];
	}
}

static void axes_of(const struct sc_mixer_key *row_key,
		    const struct sc_mixer_point *p, double axis[SC_MIXER_AXES])
{
	struct sc_mixer m = sc_mixer_of(row_key, p);
	sc_mixer_axes(row_key->table, &m, &p->at, axis);
}

static int take_axes(struct arena *a, struct sc_mixer_grid *g,
		     const struct sc_mixer_key *row_key,
		     const struct sc_mixer_point *point, uint32_t n)
{
	double *v[SC_MIXER_AXES], *logs[SC_MIXER_AXES], axis[SC_MIXER_AXES];
	g->n_axes = sc_mixer_kinds[row_key->table].n_axes;
	for (uint32_t i = 0; i < g->n_axes; i++) {
		v[i] = arena_take(a, n, sizeof *v[i]);
		logs[i] = arena_take(a, n, sizeof *logs[i]);
		if (!v[i] || !logs[i])
			return -1;
	}
	for (uint32_t p = 0; p < n; p++) {
		axes_of(row_key, &point[p], axis);
		for (uint32_t i = 0; i < g->n_axes; i++)
			v[i][p] = axis[i];
	}
	read_axes(g, row_key->table, v, logs, n);
	return 0;
}

/* ---- points ---- */

static uint32_t cell_of(const struct sc_mixer_grid *g,
			const double axis[SC_MIXER_AXES])
{
	uint32_t at[SC_MIXER_AXES] = {0};
	for (uint32_t i = 0; i < g->n_axes; i++)
		at[i] = sc_locate(g->v[i], g->n[i], axis[i]).low;
	return sc_mixer_cell(g, at);
}

static size_t cells_of(const struct sc_mixer_grid *g)
{
	size_t cells = 1;
	for (uint32_t i = 0; i < g->n_axes; i++)
		cells *= g->n[i];
	return cells;
}

int grid_build(struct arena *a, const struct sc_mixer_key *row_key,
	       const struct sc_mixer_law *law,
	       const struct sc_mixer_point *point, uint32_t n,
	       struct sc_mixer_grid *g)
{
	*g = (struct sc_mixer_grid){0};
	if (take_axes(a, g, row_key, point, n) < 0)
		return -1;
	double *residual = arena_take(a, n, sizeof *residual);
	uint32_t *cell = arena_take(a, n, sizeof *cell);
	uint32_t *point_in = arena_take(a, cells_of(g), sizeof *point_in);
	if (!residual || !cell || !point_in)
		return -1;
	for (uint32_t p = 0; p < n; p++) {
		struct sc_mixer m = sc_mixer_of(row_key, &point[p]);
		double us = sc_mixer_us(law, &m, &point[p].at);
		double axis[SC_MIXER_AXES];
		sc_mixer_axes(row_key->table, &m, &point[p].at, axis);
		cell[p] = cell_of(g, axis);
		point_in[cell[p]] = p + 1;
		residual[p] = log(point[p].us / us);
	}
	g->n_points = n;
	g->residual = residual;
	g->cell_of = cell;
	g->point_in = point_in;
	return 0;
}
