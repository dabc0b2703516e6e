/* check_grid.c -- Checks the points of a table in order. */
#include "tables/check_grid.h"
#include <stdlib.h>
#include <string.h>
#include "math/statistics.h"

struct grid {
	const struct checked_table *c;
	uint64_t *order; /* rows ordered by keys, then axes */
	uint64_t widest; /* number of values of one axis over all shapes */
};

/* ---- order ---- */

static double axis(const struct grid *g, int i, uint64_t r)
{
	return checked_value(&g->c->axis[i], r);
}

/* Finds rows given twice; the message names both lines. */
static void check_duplicates(const struct grid *g)
{
	for (uint64_t i = 1; i < g->c->t.view.n_rows; i++) {
		uint64_t a = g->order[i - 1], b = g->order[i];
		if (checked_compare(g->c, a, b, 0) == 0)
			checked_tell(
			    g->c, (int64_t)b, "duplicate",
			    g->c->latency[a] != g->c->latency[b],
			    "the same point as line %llu, with %s time",
			    (unsigned long long)g->c->t.line[a],
			    g->c->latency[a] == g->c->latency[b] ? "the same"
								 : "another");
	}
}

/* Compares neighbours along the axis that was sorted last, within one line of
 * the grid.  same: the axis that must be equal. */
static void check_monotone(const struct grid *g, int same, int along)
{
	uint64_t pairs = 0, falls = 0, from = 0, to = 0;
	double worst = 1;
	for (uint64_t i = 1; i < g->c->t.view.n_rows; i++) {
		uint64_t a = g->order[i - 1], b = g->order[i];
		if (checked_compare_keys(g->c, a, b) ||
		    axis(g, same, a) != axis(g, same, b) ||
		    axis(g, along, a) == axis(g, along, b))
			continue;
		pairs++;
		double ratio = g->c->latency[b] / g->c->latency[a];
		falls += ratio < 1;
		if (ratio < worst) {
			worst = ratio;
			from = a;
			to = b;
		}
	}
	if (falls)
		checked_tell(
		    g->c, (int64_t)to, "non_monotone", 0,
		    "time falls along %s in %llu of %llu steps; most here: "
		    "%.1f %% below line %llu",
		    g->c->axis[along].name, (unsigned long long)falls,
		    (unsigned long long)pairs, 100 * (1 - worst),
		    (unsigned long long)g->c->t.line[from]);
}

/* ---- blocks: the rows of one shape ---- */

static uint64_t distinct(const struct grid *g, const uint64_t *row, uint64_t n,
			 int along)
{
	double *v = calloc(n, sizeof *v);
	uint64_t count = 0;
	for (uint64_t i = 0; v && i < n; i++)
		v[i] = axis(g, along, row[i]);
	if (v)
		stats_sort(v, n);
	for (uint64_t i = 0; v && i < n; i++)
		count += i == 0 || v[i] != v[i - 1];
	free(v);
	return count;
}

/* Returns how many points the grid of a block lacks. */
static uint64_t missing_points_of(const struct grid *g, const uint64_t *row,
				  uint64_t n)
{
	uint64_t points = n;
	for (uint64_t i = 1; i < n; i++)
		points -= checked_compare(g->c, row[i - 1], row[i], 0) == 0;
	if (!g->c->kind->axis[1].name)
		return g->widest - points;
	return distinct(g, row, n, 0) * distinct(g, row, n, 1) - points;
}

/* Returns 1 if the row measured first took longer than a larger point. */
static int is_warm_up(const struct grid *g, const uint64_t *row, uint64_t n,
		      uint64_t *first, uint64_t *larger)
{
	*first = row[0];
	for (uint64_t i = 1; i < n; i++)
		if (row[i] < *first)
			*first = row[i];
	for (uint64_t i = 0; i < n; i++) {
		uint64_t r = row[i];
		int above = axis(g, 0, r) >= axis(g, 0, *first) &&
			    axis(g, 1, r) >= axis(g, 1, *first);
		if (r != *first && above &&
		    g->c->latency[r] < g->c->latency[*first]) {
			*larger = r;
			return 1;
		}
	}
	return 0;
}

static void check_blocks(const struct grid *g)
{
	uint64_t n_blocks = 0, with_missing_points = 0, missing_points = 0,
		 warm = 0;
	uint64_t warm_row = 0, warm_larger = 0, hole_row = 0;
	for (uint64_t i = 0, n; i < g->c->t.view.n_rows; i += n) {
		const uint64_t *row = g->order + i;
		uint64_t first, larger;
		for (n = 1; i + n < g->c->t.view.n_rows &&
			    checked_compare_keys(g->c, row[0], row[n]) == 0;)
			n++;
		n_blocks++;
		uint64_t missing = missing_points_of(g, row, n);
		if (missing && with_missing_points++ == 0)
			hole_row = row[0];
		missing_points += missing;
		if (is_warm_up(g, row, n, &first, &larger) && warm++ == 0) {
			warm_row = first;
			warm_larger = larger;
		}
	}
	if (missing_points)
		checked_tell(
		    g->c, (int64_t)hole_row, "hole", 0,
		    "%llu points of the grid are missing, in %llu of %llu "
		    "shapes; the first begins here",
		    (unsigned long long)missing_points,
		    (unsigned long long)with_missing_points,
		    (unsigned long long)n_blocks);
	if (warm)
		checked_tell(
		    g->c, (int64_t)warm_row, "warm_up", 0,
		    "the first row of %llu of %llu shapes is slower than a "
		    "larger point (here line %llu): warm-up",
		    (unsigned long long)warm, (unsigned long long)n_blocks,
		    (unsigned long long)g->c->t.line[warm_larger]);
}

/* An engine can pad a kernel with one axis to more tokens, so it never uses a
 * point that takes longer than a larger one. */
static void check_padding(const struct grid *g)
{
	uint64_t n = g->c->t.view.n_rows, above = 0, worst = 0, by = 0;
	double most = 1.05;
	const double *us = g->c->latency;
	for (uint64_t i = n, best = 0; i-- > 0;) {
		uint64_t r = g->order[i];
		int new_shape =
		    i + 1 == n || checked_compare_keys(g->c, r, best);
		if (new_shape || us[r] <= us[best]) {
			best = r;
			continue;
		}
		above += us[r] > 1.05 * us[best];
		if (us[r] > most * us[best]) {
			most = us[r] / us[best];
			worst = r;
			by = best;
		}
	}
	if (above)
		checked_tell(
		    g->c, (int64_t)worst, "suffix_minimum", 0,
		    "%llu of %llu rows take at least 5 %% longer than a row of "
		    "more %s; most here, %.1f times %s %g: pad up to it",
		    (unsigned long long)above, (unsigned long long)n,
		    g->c->axis[0].name, most, g->c->axis[0].name,
		    axis(g, 0, by));
}

int tables_check_grid(const struct checked_table *c, struct problem *p)
{
	struct grid g = {.c = c, .order = checked_order(c, 0)};
	if (!g.order)
		return problem_no_memory(p);
	check_duplicates(&g);
	g.widest = distinct(&g, g.order, c->t.view.n_rows, 0);
	check_blocks(&g);
	if (c->kind->axis[1].name) {
		check_monotone(&g, 0, 1);
		free(g.order);
		g.order = checked_order(c, 1);
		if (!g.order)
			return problem_no_memory(p);
	} else if (c->kind->axis[0].name) {
		check_padding(&g);
	}
	check_monotone(&g, 1, 0);
	free(g.order);
	return 0;
}
