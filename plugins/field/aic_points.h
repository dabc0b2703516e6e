/* plugins/field/aic_points.h -- how AIConfigurator asks measured points (mode
 * SILICON): exact ones, lines between them, and beyond them the utilisation,
 * which is the time at the speed of light over the measured time.
 *
 * Source: ai-dynamo/aiconfigurator @ d2af06a, perf_interp/engine.py,
 * Apache-2.0.  Times in seconds; NaN: there is no answer. */
#ifndef AIC_POINTS_H
#define AIC_POINTS_H
#include <stdio.h>
#include "aic.h"
#include "stepcost/table.h"

/* A measured point.  key: of its grid (KV heads, head size; ranks; none).
 * GEMM: at = n, k, m; prefill: heads, sequence, batch; decode: heads, batch,
 * length; all-reduce: elements. */
enum aic_op { AIC_GEMM, AIC_PREFILL, AIC_DECODE, AIC_ALL_REDUCE, AIC_OPS };
struct aic_point {
	double key[2], at[3], log[3], s;
	size_t order; /* in the file */
};
struct aic_grid { /* points of one key, ascending */
	const struct aic_system *sys;
	enum aic_op op;
	int axes;
	const struct aic_point *point;
	size_t n;
};
enum { AIC_NEAREST = 4 };
#define AIC_REACH 2. /* octaves */
struct aic_site {    /* of GEMMs: those of one (n, k) */
	size_t first, n, order;
	double log[2];
};
struct aic_tables {
	struct aic_grid all[AIC_OPS];
	struct aic_point *points[AIC_OPS];
	struct aic_site *site;
	size_t n_sites;
};

static inline double aic_sol_at(const struct aic_grid *g, const double *key,
				const double *at)
{
	switch (g->op) {
	case AIC_GEMM:
		return aic_sol_gemm(g->sys, at[2], at[0], at[1]);
	case AIC_PREFILL:
		return aic_sol_prefill(g->sys, at[0], *key > 0 ? *key : at[0],
				       key[1], at[2], at[1], 0);
	case AIC_DECODE:
		return aic_sol_decode(g->sys, at[0], *key > 0 ? *key : at[0],
				      key[1], at[1], at[2]);
	default:
		return aic_sol_all_reduce(g->sys, *key, at[0]);
	}
}
static inline double aic_use(const struct aic_grid *g,
			     const struct aic_point *p)
{
	return aic_sol_at(g, p->key, p->at) / p->s;
}

/* The first point with an axis not below x (above: with one above x). */
static inline size_t aic_bound(const struct aic_point *p, size_t from,
			       size_t to, int axis, double x, int above)
{
	while (from < to) {
		size_t middle = (from + to) / 2;
		double is = p[middle].at[axis];
		if (is < x || (above && is == x))
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* The time at q between the points from..to, which agree before the axis. */
static inline double aic_between(const struct aic_grid *g, size_t from,
				 size_t to, int axis, const double *q)
{
	const struct aic_point *p = g->point;
	if (axis == g->axes)
		return p[from].s;
	double x = q[axis], other[3];
	size_t i = aic_bound(p, from, to, axis, x, 0);
	if (i < to && p[i].at[axis] == x)
		return aic_between(g, i, aic_bound(p, i, to, axis, x, 1),
				   axis + 1, q);
	if (i == from || i == to)
		return NAN;
	double low = p[i - 1].at[axis], high = p[i].at[axis];
	double a =
	    aic_between(g, aic_bound(p, from, i, axis, low, 0), i, axis + 1, q);
	double b =
	    aic_between(g, i, aic_bound(p, i, to, axis, high, 1), axis + 1, q);
	memcpy(other, q, sizeof(double) * (size_t)g->axes);
	if (isnan(a) || isnan(b)) {
		other[axis] = isnan(a) ? high : low;
		return (isnan(a) ? b : a) * aic_sol_at(g, p->key, q) /
		       aic_sol_at(g, p->key, other);
	}
	double w = (x - low) / (high - low);
	if (g->op != AIC_PREFILL || axis != 1)
		return a + (b - a) * w;
	double root = sqrt(a) + (sqrt(b) - sqrt(a)) * w;
	return root * root;
}

/* Keeps the nearest points, nearest first, of equal ones the first of the
 * file. */
struct aic_near {
	size_t at[AIC_NEAREST + 1], order[AIC_NEAREST + 1];
	double distance[AIC_NEAREST + 1];
	size_t n, most;
};
static inline void aic_keep(struct aic_near *near, size_t at, size_t order,
			    double distance)
{
	size_t i = near->n, last;
	while (i > 0 && (distance < near->distance[i - 1] ||
			 (distance == near->distance[i - 1] &&
			  order < near->order[i - 1])))
		i--;
	if (i == near->most)
		return;
	last = near->n < near->most ? near->n++ : near->most - 1;
	for (; last > i; last--) {
		near->at[last] = near->at[last - 1];
		near->order[last] = near->order[last - 1];
		near->distance[last] = near->distance[last - 1];
	}
	near->at[i] = at;
	near->order[i] = order;
	near->distance[i] = distance;
}

/* Beyond the grid: the utilisation of the four nearest points. */
static inline double aic_beyond(const struct aic_grid *g, const double *q)
{
	struct aic_near near = {.most = AIC_NEAREST + 1};
	double weights = 0, used = 0, lg[3];
	for (int k = 0; k < g->axes; k++)
		lg[k] = log2(q[k]);
	for (size_t i = 0; i < g->n; i++) {
		double square = 0;
		for (int k = 0; k < g->axes; k++) {
			double far = g->point[i].log[k] - lg[k];
			square += far * far;
		}
		aic_keep(&near, i, g->point[i].order, sqrt(square));
	}
	for (int fifth = near.n > AIC_NEAREST; fifth >= 0 && !(weights > 0);
	     fifth--)
		for (size_t i = 0; i < near.n && i < AIC_NEAREST; i++) {
			double d = near.distance[i];
			double r = near.distance[AIC_NEAREST], w;
			w = (r - d) / (r * d + 1e-12);
			w = fifth ? w * w : 1 / (d * d + 1e-12);
			weights += w;
			used += w * aic_use(g, &g->point[near.at[i]]);
		}
	return aic_sol_at(g, g->point->key, q) / (used / weights);
}

static inline double aic_ask(const struct aic_grid *g, const double *q)
{
	if (!g->n)
		return NAN;
	double s = aic_between(g, 0, g->n, 0, q);
	if (!isnan(s))
		return s;
	if (g->axes > 1)
		return aic_beyond(g, q);
	size_t end = q[0] < g->point[0].at[0] ? 0 : g->n - 1;
	return aic_sol_at(g, g->point->key, q) / aic_use(g, &g->point[end]);
}

/* The points of one key. */
static inline struct aic_grid aic_grid_of(const struct aic_tables *t,
					  enum aic_op op, double a, double b)
{
	struct aic_grid g = t->all[op];
	size_t from = 0, to = g.n;
	while (from < to &&
	       (g.point[from].key[0] != a || g.point[from].key[1] != b))
		from++;
	for (g.n = from;
	     g.n < to && g.point[g.n].key[0] == a && g.point[g.n].key[1] == b;)
		g.n++;
	g.n -= from;
	g.point += from;
	return g;
}

/* ---- GEMMs ---- */

static inline double aic_middle(double *u, size_t n)
{
	for (size_t i = 1; i < n; i++)
		for (size_t k = i; k > 0 && u[k] < u[k - 1]; k--) {
			double swap = u[k];
			u[k] = u[k - 1];
			u[k - 1] = swap;
		}
	return n % 2 ? u[n / 2] : (u[n / 2 - 1] + u[n / 2]) / 2;
}

static inline int aic_covers(const struct aic_tables *t,
			     const struct aic_site *c, double m)
{
	const struct aic_point *p = t->points[AIC_GEMM] + c->first;
	return p[0].at[2] <= m && m <= p[c->n - 1].at[2];
}

/* A site's curve at m; beyond it the median utilisation of three points. */
static inline double aic_curve(const struct aic_tables *t,
			       const struct aic_site *c, double m)
{
	const struct aic_grid *g = &t->all[AIC_GEMM];
	const struct aic_point *p = g->point + c->first;
	double u[3] = {0}, q[3] = {p->at[0], p->at[1], m};
	double s = aic_between(g, c->first, c->first + c->n, 2, q);
	if (!isnan(s))
		return s;
	size_t n = c->n < 3 ? c->n : 3, from = m < p->at[2] ? 0 : c->n - n;
	for (size_t i = 0; i < n; i++)
		u[i] = aic_use(g, &p[from + i]);
	return aic_sol_at(g, p->key, q) / aic_middle(u, n);
}

/* A GEMM with n or k beyond all sites: the other one decides.  Returns its
 * index, or -1. */
static inline int aic_beyond_sites(const struct aic_tables *t, double m,
				   int any, const double lg[2])
{
	double least[2] = {INFINITY, INFINITY}, most[2] = {0, 0};
	for (size_t i = 0; i < t->n_sites; i++)
		for (int k = 0; (any || aic_covers(t, &t->site[i], m)) && k < 2;
		     k++) {
			least[k] = fmin(least[k], t->site[i].log[k]);
			most[k] = fmax(most[k], t->site[i].log[k]);
		}
	if (lg[0] < least[0] || lg[1] < least[1] ||
	    (lg[0] > most[0]) == (lg[1] > most[1]))
		return -1;
	return lg[0] > most[0];
}

static inline double aic_table_gemm(const struct aic_tables *t, double m,
				    double n, double k)
{
	const double lg[2] = {log2(n), log2(k)};
	struct aic_near near = {.most = AIC_NEAREST};
	const struct aic_grid *g = &t->all[AIC_GEMM];
	double weights = 0, used = 0;
	int any = 1, axis = -1;
	for (size_t i = 0; i < t->n_sites; i++) {
		const double *at = g->point[t->site[i].first].at;
		if (at[0] == n && at[1] == k)
			return aic_curve(t, &t->site[i], m);
		any &= !aic_covers(t, &t->site[i], m);
	}
	for (int again = 0; again < 2 && !near.n; again++) {
		if (again && (axis = aic_beyond_sites(t, m, any, lg)) < 0)
			return NAN;
		for (size_t i = 0; i < t->n_sites; i++) {
			const struct aic_site *c = &t->site[i];
			double dn = c->log[0] - lg[0], dk = c->log[1] - lg[1];
			double d = sqrt(dn * dn + dk * dk);
			double reach = axis < 0 ? d : fabs(axis ? dk : dn);
			if (reach <= AIC_REACH && (any || aic_covers(t, c, m)))
				aic_keep(&near, i, c->order, d);
		}
	}
	for (size_t i = 0; i < near.n; i++) {
		const struct aic_site *c = &t->site[near.at[i]];
		double at[3] = {g->point[c->first].at[0],
				g->point[c->first].at[1], m};
		double w = 1 / (near.distance[i] * near.distance[i] + 1e-12);
		weights += w;
		used += w * aic_sol_at(g, NULL, at) / aic_curve(t, c, m);
	}
	return aic_sol_at(g, NULL, (double[3]){n, k, m}) / (used / weights);
}

/* ---- loading ---- */

static inline int aic_compare(const void *a, const void *b)
{
	const struct aic_point *x = a, *y = b;
	for (int i = 0; i < 5; i++) {
		double p = i < 2 ? x->key[i] : x->at[i - 2];
		double q = i < 2 ? y->key[i] : y->at[i - 2];
		if (p < q || p > q)
			return p < q ? -1 : 1;
	}
	return (x->order > y->order) - (x->order < y->order);
}

static inline void aic_free(struct aic_tables *t)
{
	for (int i = 0; i < AIC_OPS; i++)
		free(t->points[i]);
	free(t->site);
}

/* Columns of the keys and axes of each table; NULL: none. */
static const struct aic_columns {
	const char *table, *key[2], *at[3];
	int axes;
} aic_columns[AIC_OPS] = {
    {"gemm", {NULL, NULL}, {"n", "k", "m"}, 3},
    {"attention_prefill",
     {"kv_heads", "head_dim"},
     {"heads", "seq_len", "batch"},
     3},
    {"attention_decode",
     {"kv_heads", "head_dim"},
     {"heads", "batch", "kv_len"},
     3},
    {"all_reduce", {"ranks", NULL}, {"message_bytes", NULL, NULL}, 1}};

/* A number of a column; 0 where the table has none. */
static inline double aic_number(const sc_table *t, const char *name, size_t row)
{
	const double *column = name ? sc_column(t, name) : NULL;
	return column ? column[row] : 0;
}
static inline int aic_is_bf16(const sc_table *t, const char *column, size_t row)
{
	const char *const *word = sc_words(t, column);
	return !word || !strcmp(word[row], "bf16");
}

static inline void aic_take(struct aic_point *p, const struct aic_grid *g,
			    const sc_table *t, size_t row)
{
	const struct aic_columns *c = &aic_columns[g->op];
	*p = (struct aic_point){.order = row,
				.s = aic_number(t, "latency_us", row) / 1e6};
	for (int k = 0; k < 2; k++)
		p->key[k] = aic_number(t, c->key[k], row);
	for (int k = 0; k < g->axes; k++)
		p->at[k] = aic_number(t, c->at[k], row);
	if (g->op == AIC_ALL_REDUCE)
		p->at[0] /= 2;
	if ((g->op == AIC_PREFILL || g->op == AIC_DECODE) &&
	    p->key[0] == p->at[0])
		p->key[0] = 0; /* as many KV heads as heads */
	for (int k = 0; k < g->axes; k++)
		p->log[k] = log2(p->at[k]);
	if (g->op == AIC_GEMM || g->op == AIC_DECODE)
		p->s = fmax(p->s, aic_sol_at(g, p->key, p->at));
}

static inline int32_t aic_load_one(struct aic_tables *t, enum aic_op op,
				   const struct aic_system *sys,
				   const sc_table *from, sc_error *err)
{
	struct aic_grid *g = &t->all[op];
	*g = (struct aic_grid){
	    .sys = sys, .op = op, .axes = aic_columns[op].axes};
	if (!from)
		return SC_OK;
	struct aic_point *p = calloc(from->n_rows + 1, sizeof *p);
	if (!p)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	t->points[op] = p;
	for (size_t i = 0; i < from->n_rows; i++)
		if (aic_is_bf16(from, "dtype", i) &&
		    aic_is_bf16(from, "kv_dtype", i) &&
		    !(aic_number(from, "window", i) > 0))
			aic_take(&p[g->n++], g, from, i);
	qsort(p, g->n, sizeof *p, aic_compare);
	g->point = p;
	return SC_OK;
}

/* Reads the tables of the setup; the caller calls aic_free() in any case. */
static inline int32_t aic_load(struct aic_tables *t,
			       const struct aic_system *sys,
			       const sc_setup *setup, sc_error *err)
{
	int32_t rc = SC_OK;
	*t = (struct aic_tables){.n_sites = 0};
	for (int i = 0; i < AIC_OPS && rc == SC_OK; i++)
		rc = aic_load_one(
		    t, i, sys, sc_table_of(setup, aic_columns[i].table), err);
	size_t n = t->all[AIC_GEMM].n;
	if (rc == SC_OK && !(t->site = calloc(n + 1, sizeof *t->site)))
		rc = sc_fail(err, SC_ENOMEM, "out of memory");
	for (size_t i = 0; rc == SC_OK && i < n; i++) {
		const struct aic_point *p = &t->points[AIC_GEMM][i];
		struct aic_site *c = &t->site[t->n_sites];
		if (!i || p[-1].at[0] != p->at[0] || p[-1].at[1] != p->at[1]) {
			*c = (struct aic_site){
			    i, 0, p->order, {p->log[0], p->log[1]}};
			t->n_sites++;
		}
		c = &t->site[t->n_sites - 1];
		c->n++;
		if (p->order < c->order)
			c->order = p->order;
	}
	return rc;
}
#endif
