/* gemm.c -- Prices a GEMM: the law times the residual of measured points,
 * trilinear in the logarithms of m, n and k. */
#include "price/gemm.h"
#include <math.h>
#include "inst.h"

/* The measured sides next to v: [0] at most v, [1] at least v; both the end if
 * v is outside. */
static int sides_of(const struct row_group *f, int d, double v, double side[2])
{
	double low = -1, high = -1, least = INFINITY, most = 0;
	for (uint32_t i = 0; i < f->n_grids; i++) {
		double at = f->grid[i].key[d];
		least = fmin(least, at);
		most = fmax(most, at);
		if (at <= v && at > low)
			low = at;
		if (at >= v && (high < 0 || at < high))
			high = at;
	}
	side[0] = low < 0 ? least : low;
	side[1] = high < 0 ? most : high;
	if (low < 0 || high < 0)
		side[0] = side[1] = low < 0 ? least : most;
	return low < 0 || high < 0 ? SC_CLAMPED
	       : low == high       ? SC_EXACT
				   : SC_INTERPOLATED;
}

/* The corners of the grid of shapes around (n, k) that were measured. */
static void find_corners(struct gemm *g)
{
	const struct row_group *f = g->by.from;
	const double v[2] = {g->n, g->k};
	double side[2][2], t[2];
	for (int d = 0; d < 2; d++) {
		uint32_t how = (uint32_t)sides_of(f, d, v[d], side[d]);
		g->provenance = sc_worse(g->provenance, how);
		t[d] =
		    side[d][1] > side[d][0]
			? log(v[d] / side[d][0]) / log(side[d][1] / side[d][0])
			: 0;
	}
	for (int corner = 0; corner < 4; corner++) {
		int i = corner & 1, j = corner >> 1;
		const double key[2] = {side[0][i], side[1][j]};
		double weight = (i ? t[0] : 1 - t[0]) * (j ? t[1] : 1 - t[1]);
		if (!(weight > 0))
			continue;
		const struct sc_grid *near = row_group_find(f, key, 2);
		if (!near) {
			g->provenance =
			    sc_worse(g->provenance, SC_INTERPOLATED);
			continue;
		}
		g->near[g->n_near] = near;
		g->weight[g->n_near++] = weight;
	}
	g->is_grid = 1;
}

/* No corner was measured: the nearest shapes, by inverse squared distance. */
static void find_nearest(struct gemm *g)
{
	const struct row_group *f = g->by.from;
	struct sc_near near = {0};
	double sum = 0;
	for (uint32_t i = 0; i < f->n_grids; i++) {
		double n = log(f->grid[i].key[0] / g->n);
		double k = log(f->grid[i].key[1] / g->k);
		sc_near_keep(&near, &f->grid[i], n * n + k * k);
	}
	for (uint32_t i = 0; i < near.n; i++)
		sum += 1 / near.distance[i];
	for (uint32_t i = 0; i < near.n; i++) {
		g->near[i] = near.of[i];
		g->weight[i] = 1 / near.distance[i] / sum;
	}
	g->n_near = near.n;
	g->is_grid = 0;
	g->provenance = SC_SUBSTITUTED;
}

struct gemm gemm_for(struct inst *s, struct dtype dtype, double n, double k)
{
	const struct sc_op_key row_key = {SC_OPLAW_GEMM, dtype.name, NULL, NULL,
					  NULL};
	const double key[] = {n, k};
	struct gemm g = {.by = kernels_for(s, &row_key, key, 2),
			 .n = n,
			 .k = k,
			 .tile = (double)s->k.gemm_tile};
	g.by.provenance = sc_worse(g.by.provenance, dtype.provenance);
	least_store(&g.by.least, dtype.bytes);
	if (!g.by.from)
		return g;
	find_corners(&g);
	if (!g.n_near)
		find_nearest(&g);
	return g;
}

/* The point at m, which is measured for other shapes; UINT32_MAX: not here. */
static uint32_t point_at(const struct sc_grid *s, double m)
{
	uint32_t low = s->start[0], high = s->start[1];
	while (high - low > 1) {
		uint32_t mid = low + (high - low) / 2;
		if (s->x[mid] <= m)
			low = mid;
		else
			high = mid;
	}
	return s->x[low] == m ? low : UINT32_MAX;
}

/* A point that is missing drops out with its weight. */
static double on_grid(const struct gemm *g, struct sc_logged m,
		      uint32_t *provenance)
{
	const struct row_group *f = g->by.from;
	double sum = 0, weights = 0;
	struct sc_bracket b =
	    sc_bracket_of(f->m, f->log_m, 0, f->n_m, m, provenance);
	for (uint32_t i = 0; i < g->n_near; i++)
		for (int high = 0; high <= (b.t > 0); high++) {
			double at = f->m[high ? b.high : b.low];
			double w = g->weight[i] * (high ? b.t : 1 - b.t);
			uint32_t p = point_at(g->near[i], at);
			if (p == UINT32_MAX || g->near[i]->how[p])
				*provenance =
				    sc_worse(*provenance, SC_INTERPOLATED);
			if (p == UINT32_MAX)
				continue;
			sum += w * g->near[i]->residual[p];
			weights += w;
		}
	return weights > 0 ? sum / weights : (double)NAN;
}

/* Each shape along its own points. */
static double along_rows(const struct gemm *g, struct sc_logged m,
			 uint32_t *provenance)
{
	double sum = 0, weights = 0;
	for (uint32_t i = 0; i < g->n_near; i++) {
		sum +=
		    g->weight[i] * sc_grid_along(g->near[i], 0, m, provenance);
		weights += g->weight[i];
	}
	return sum / weights;
}

static double whole_tiles(const struct gemm *g, double m)
{
	return g->tile > 0 && m > g->tile ? g->tile * ceil(m / g->tile) : m;
}

struct answer gemm_us(const struct gemm *g, double rows)
{
	const struct least *l = &g->by.least;
	double m = whole_tiles(g, rows), r = NAN;
	double law = sc_oplaw_gemm_us(&g->by.law, m, g->n, g->k);
	double least =
	    sc_least_us(sc_work_gemm(rows, g->n, g->k, l->weight_bytes),
			l->peak, l->bandwidth, l->l2_bytes);
	uint32_t provenance = sc_worse(g->by.provenance, g->provenance);
	if (m > rows)
		provenance = sc_worse(provenance, SC_INTERPOLATED);
	if (!g->n_near)
		return least_raise((struct answer){law, provenance}, least);
	struct sc_logged at = sc_logged_of(m);
	if (g->is_grid)
		r = on_grid(g, at, &provenance);
	if (isnan(r))
		r = along_rows(g, at, &provenance);
	return least_raise((struct answer){law * exp(r), provenance}, least);
}
