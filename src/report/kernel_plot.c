/* kernel_plot.c -- Draws priced kernels over the column that varies. */
#include "report/kernel_plot.h"
#include <stdlib.h>
#include <string.h>

struct xy {
	double x, y;
};

static int by_x(const void *a, const void *b)
{
	const struct xy *p = a, *q = b;
	return (p->x > q->x) - (p->x < q->x);
}

/* Returns how many rows have another value than the row before.  A column that
 * grows has the most changes. */
static size_t changes(const struct kernels *p, int column)
{
	size_t n = 0;
	for (size_t i = 1; i < p->n; i++)
		n += strcmp(p->item[i].cell[column],
			    p->item[i - 1].cell[column]) != 0;
	return n;
}

static int varying_column(const struct kernels *p)
{
	int best = KERNEL_M;
	for (int c = KERNEL_M; c < KERNEL_COLUMNS; c++)
		if (kernel_column[c].holds == KERNEL_SIZE &&
		    changes(p, c) > changes(p, best))
			best = c;
	return best;
}

/* Collects the points of one arm in ascending order: all, or only those that a
 * table measured. */
static size_t collect(const struct kernels *points, int column,
		      const struct kernel_prices *c, int measured, double *x,
		      double *y)
{
	size_t n = 0;
	struct xy *at = calloc(c->n + 1, sizeof *at);
	for (size_t i = 0; at && i < c->n; i++)
		if (!measured || c->result[i].provenance == SC_EXACT)
			at[n++] = (struct xy){
			    strtod(points->item[i].cell[column], NULL),
			    c->result[i].latency_us};
	if (at)
		qsort(at, n, sizeof *at, by_x);
	for (size_t i = 0; i < n; i++) {
		x[i] = at[i].x;
		y[i] = at[i].y;
	}
	free(at);
	return n;
}

int kernel_plot(const struct kernels *points, const struct kernel_prices *curve,
		size_t n_curves, struct plot *to, struct problem *p)
{
	int column = varying_column(points), rc = -1;
	size_t per_series = 2 * (points->n + 1);
	struct figure_series *series = calloc(2 * n_curves, sizeof *series);
	double *xy = calloc(2 * n_curves * per_series, sizeof *xy);
	struct figure figure = {.title = "Kernel latency; marks: measured",
				.x_label = kernel_column[column].name,
				.y_label = "us",
				.scale_x = SCALE_LOG,
				.scale_y = SCALE_LOG,
				.series = series,
				.n_series = 0};
	for (size_t i = 0; series && xy && i < 2 * n_curves; i++) {
		const struct kernel_prices *c = &curve[i / 2];
		int measured = i % 2 == 1;
		double *x = xy + i * per_series, *y = x + points->n + 1;
		size_t n = collect(points, column, c, measured, x, y);
		if (n) /* some curves have no measured point */
			series[figure.n_series++] = (struct figure_series){
			    .name = measured ? NULL : c->arm,
			    .mark = measured ? MARK_POINTS : MARK_LINE,
			    .slot = (unsigned)(i / 2),
			    .x = x,
			    .y = y,
			    .n = n};
	}
	if (series && xy)
		rc = plot_figure(to, &figure, p);
	else
		problem_no_memory(p);
	free(series);
	free(xy);
	return rc;
}
