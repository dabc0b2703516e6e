/* check_kernels.c -- Looks for points that differ only in kernel or routing. */
#include "tables/check_kernels.h"
#include <stdlib.h>
#include "math/statistics.h"
#include "tables/row_groups.h"

/* A table without one of its columns. */
struct without {
	const struct checked_table *c;
	uint32_t column;
};

static int compare(const struct without *w, uint64_t a, uint64_t b)
{
	int d = checked_compare_keys_but(w->c, w->column, a, b);
	for (int i = 0; d == 0 && i < KERNEL_MAX_AXES; i++) {
		double x = checked_value(&w->c->axis[i], a);
		double y = checked_value(&w->c->axis[i], b);
		d = (x > y) - (x < y);
	}
	return d;
}

static int by_point(const void *a, const void *b, void *w)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	int d = compare(w, x, y);
	return d ? d : (x > y) - (x < y);
}

/* Finds the points that have several rows: ratio[n] of the slowest to the
 * fastest.  Where the ratio is largest, *most is the slowest row and *least the
 * fastest. */
static size_t find_ratios(const struct without *w, const uint64_t *order,
			  double *ratio, uint64_t *most, uint64_t *least)
{
	const double *us = w->c->latency;
	uint64_t rows = w->c->t.view.n_rows;
	double worst = 0;
	size_t n = 0;
	for (uint64_t i = 0, next; i < rows; i = next) {
		uint64_t slow = order[i], fast = order[i];
		for (next = i + 1;
		     next < rows && compare(w, order[i], order[next]) == 0;
		     next++) {
			slow = us[order[next]] > us[slow] ? order[next] : slow;
			fast = us[order[next]] < us[fast] ? order[next] : fast;
		}
		if (next - i < 2)
			continue;
		ratio[n++] = us[slow] / us[fast];
		if (ratio[n - 1] > worst) {
			worst = ratio[n - 1];
			*most = slow;
			*least = fast;
		}
	}
	return n;
}

static int check_without(const struct checked_table *c, const char *column,
			 const char *finding, const char *advice)
{
	int at = table_column(&c->t, column);
	uint64_t most = 0, least = 0;
	if (at < 0 || !c->t.text[at])
		return 0;
	struct without w = {c, (uint32_t)at};
	uint64_t *order = calloc(c->t.view.n_rows, sizeof *order);
	double *ratio = calloc(c->t.view.n_rows, sizeof *ratio);
	size_t n = 0;
	for (uint64_t r = 0; order && r < c->t.view.n_rows; r++)
		order[r] = r;
	if (order && ratio) {
		qsort_r(order, c->t.view.n_rows, sizeof *order, by_point, &w);
		n = find_ratios(&w, order, ratio, &most, &least);
	}
	if (n) {
		stats_sort(ratio, n);
		checked_tell(
		    c, (int64_t)most, finding, 0,
		    "%zu points differ in %s alone, %.2f times apart in the "
		    "median; most here, %.1f times line %llu: %s",
		    n, column, stats_percentile(ratio, n, 0.5), ratio[n - 1],
		    (unsigned long long)c->t.line[least], advice);
	}
	int rc = order && ratio ? 0 : -1;
	free(order), free(ratio);
	return rc;
}

/* ---- kernels by family of experts ---- */

/* With fewer shapes than this a kernel is an exception, not a family's. */
enum { FAMILY = 4 };

static int by_shape(const void *a, const void *b, void *w)
{
	const struct without *is = w;
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	int d = checked_compare_keys_but(is->c, is->column, x, y);
	return d ? d : (x > y) - (x < y);
}

/* Counts by group of words the shapes that no other kernel was measured for. */
static void count_alone(const struct without *w, const struct row_groups *g,
			const uint64_t *order, uint32_t *alone)
{
	uint64_t rows = w->c->t.view.n_rows;
	for (uint64_t i = 0, next; i < rows; i = next) {
		int others = 0;
		for (next = i + 1; next < rows && checked_compare_keys_but(
						      w->c, w->column, order[i],
						      order[next]) == 0;
		     next++)
			others |= g->of[order[next]] != g->of[order[i]];
		alone[g->of[order[i]]] += !others;
	}
}

/* Returns 1 if two rows have the same words but that of the kernel. */
static int same_but_kernel(const struct without *w, uint64_t a, uint64_t b)
{
	for (uint32_t i = 0; i < w->c->n_keys; i++) {
		char *const *words = w->c->t.text[w->c->key[i]];
		if (words && w->c->key[i] != w->column && words[a] != words[b])
			return 0;
	}
	return 1;
}

/* Reports pairs of kernels that each measured many shapes which the other did
 * not; alone[i]: the shapes that group i has and no other. */
static void tell_families(const struct without *w, const struct row_groups *g,
			  const uint32_t *alone)
{
	char a[ROW_WORDS], b[ROW_WORDS];
	for (uint32_t i = 0; i < g->n; i++)
		for (uint32_t k = i + 1; k < g->n; k++) {
			uint64_t first = g->first[i], other = g->first[k];
			if (alone[i] < FAMILY || alone[k] < FAMILY ||
			    !same_but_kernel(w, first, other))
				continue;
			checked_tell(
			    w->c, (int64_t)first, "families", 0,
			    "%s%u shapes have this kernel alone; %s%u have "
			    "that: shapes of one say little of the other's",
			    row_text(w->c, first, a), alone[i],
			    row_text(w->c, other, b), alone[k]);
		}
}

static int check_families(const struct checked_table *c)
{
	int at = table_column(&c->t, "kernel");
	struct row_groups g = {0};
	if (at < 0 || !c->t.text[at] || c->kind->op != SC_OP_MOE)
		return 0;
	struct without w = {c, (uint32_t)at};
	uint64_t n = c->t.view.n_rows, *order = calloc(n, sizeof *order);
	uint32_t *alone = calloc(n + 1, sizeof *alone);
	int rc = order && alone ? row_groups_make(&g, c) : -1;
	for (uint64_t r = 0; rc == 0 && r < n; r++)
		order[r] = r;
	if (rc == 0) {
		qsort_r(order, n, sizeof *order, by_shape, &w);
		count_alone(&w, &g, order, alone);
		tell_families(&w, &g, alone);
	}
	row_groups_free(&g);
	free(order), free(alone);
	return rc;
}

/* ---- all checks ---- */

int tables_check_kernels(const struct checked_table *c, struct problem *p)
{
	if (check_without(c, "kernel", "kernels", "the fastest counts") < 0 ||
	    check_without(c, "routing", "routings", "do not mix them") < 0 ||
	    check_families(c) < 0)
		return problem_no_memory(p);
	return 0;
}
