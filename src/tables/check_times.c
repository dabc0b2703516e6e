/* check_times.c -- Looks for times that the kernel alone does not explain. */
#include "tables/check_times.h"
#include <math.h>
#include <stdlib.h>
#include "math/statistics.h"
#include "stepcost/format.h"
#include "tables/row_groups.h"

/* ---- the host ---- */

/* The least time of a group of rows. */
struct floor {
	double *us; /* [n] ascending */
	uint64_t n, near;
	/* Factor by which work grows while rows of one shape stay near it. */
	double at, span;
};
static const double near_floor = 1.15, least_span = 4;

static int find_floor(struct floor *f, const struct checked_table *c,
		      const struct row_groups *g, uint32_t group)
{
	*f = (struct floor){.us = calloc(c->t.view.n_rows, sizeof *f->us)};
	if (!f->us)
		return -1;
	for (uint64_t r = 0; r < c->t.view.n_rows; r++)
		if (g->of[r] == group)
			f->us[f->n++] = c->latency[r];
	stats_sort(f->us, f->n);
	f->at = stats_percentile(f->us, f->n, 0.01);
	while (f->near < f->n && f->us[f->near] <= near_floor * f->at)
		f->near++;
	return 0;
}

/* Returns the product of the axes; an axis that is missing counts as 1. */
static double work(const struct checked_table *c, uint64_t r)
{
	double v = 1;
	for (int i = 0; i < KERNEL_MAX_AXES && c->kind->axis[i].name; i++)
		v *= checked_value(&c->axis[i], r);
	return v;
}

/* Finds how much the work of a shape of the group grows while its time stays
 * near the floor. */
static void find_span(struct floor *f, const struct checked_table *c,
		      const struct row_groups *g, uint32_t group,
		      const uint64_t *order)
{
	double least = 0, most = 0;
	for (uint64_t i = 0; i < c->t.view.n_rows; i++) {
		uint64_t r = order[i];
		if (i == 0 || checked_compare_keys(c, order[i - 1], r))
			least = most = 0;
		double v = work(c, r);
		if (g->of[r] != group || v <= 0 ||
		    c->latency[r] > near_floor * f->at)
			continue;
		least = least > 0 ? fmin(least, v) : v;
		most = fmax(most, v);
		f->span = fmax(f->span, most / least);
	}
}

static void tell_floor(const struct checked_table *c, const struct floor *f,
		       uint64_t row)
{
	char words[ROW_WORDS];
	checked_tell(c, (int64_t)row, "host_floor", 0,
		     "%s%.0f %% of the rows take %.3g us, some with %.0f times "
		     "the work of others: time of the host, or quantization; "
		     "without it these kernels start below %g us",
		     row_text(c, row, words),
		     100 * (double)f->near / (double)f->n, f->at, f->span,
		     c->kind->starts_us);
}

static int check_floors(const struct checked_table *c,
			const struct row_groups *g, const uint64_t *order)
{
	for (uint32_t i = 0; i < g->n && c->kind->starts_us > 0; i++) {
		struct floor f;
		if (find_floor(&f, c, g, i) < 0)
			return -1;
		if (f.at > c->kind->starts_us)
			find_span(&f, c, g, i, order);
		if (f.span >= least_span)
			tell_floor(c, &f, g->first[i]);
		free(f.us);
	}
	return 0;
}

/* ---- the clock ---- */

static void check_resolution(const struct checked_table *c)
{
	uint64_t least = 0, n = c->t.view.n_rows;
	for (uint64_t r = 0; r < n; r++) {
		if (c->latency[r] != floor(c->latency[r]))
			return;
		if (c->latency[r] < c->latency[least])
			least = r;
	}
	if (n >= 20 && c->latency[least] < 50)
		checked_tell(c, (int64_t)least, "whole_us", 0,
			     "times are whole us: up to %.0f %% off, here",
			     50 / c->latency[least]);
}

/* ---- the cache ---- */

/* Returns the time to read the weights of a GEMM; NaN: not known. */
static double weights_us(const struct checked_table *c, uint64_t r,
			 double bandwidth_tbs)
{
	const struct sc_format *f =
	    c->dtype ? sc_format_find(c->dtype[r]) : NULL;
	return f ? checked_value(&c->size[KERNEL_N], r) *
		       checked_value(&c->size[KERNEL_K], r) * f->bytes /
		       (bandwidth_tbs * 1e6)
		 : (double)NAN;
}

static void check_cache(const struct checked_table *c, double bandwidth_tbs)
{
	uint64_t below = 0, worst = 0;
	double least = 1;
	for (uint64_t r = 0; r < c->t.view.n_rows; r++) {
		double ratio = c->latency[r] / weights_us(c, r, bandwidth_tbs);
		below += ratio < 0.95;
		if (ratio < least) {
			least = ratio;
			worst = r;
		}
	}
	if (below)
		checked_tell(c, (int64_t)worst, "in_cache", 0,
			     "%llu rows take less than reading their weights "
			     "at %g TB/s does, here %.2f of it: they were in "
			     "the L2 cache",
			     (unsigned long long)below, bandwidth_tbs, least);
}

/* ---- all checks ---- */

int tables_check_times(const struct checked_table *c, double bandwidth_tbs,
		       struct problem *p)
{
	struct row_groups g;
	uint64_t *order = checked_order(c, 0);
	int rc = row_groups_make(&g, c);
	if (rc == 0 && order)
		rc = check_floors(c, &g, order);
	if (rc < 0 || !order)
		rc = problem_no_memory(p);
	check_resolution(c);
	if (c->kind->op == SC_OP_GEMM && bandwidth_tbs > 0)
		check_cache(c, bandwidth_tbs);
	row_groups_free(&g);
	free(order);
	return rc;
}
