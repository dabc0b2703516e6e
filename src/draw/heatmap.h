/* draw/heatmap.h -- a value for each pair of two categories, drawn as coloured
 * cells: inline SVG for a page that has svg_css(), or a file of its own.
 *
 * It points to the caller's numbers and owns nothing.  A cell that is not
 * finite stays empty.  Knows nothing of cost models. */
#pragma once
#include <stddef.h>
#include <stdio.h>
#include "base/problem.h"
#include "draw/plot.h"

struct heatmap {
	const char *title, *x_label, *y_label;
	const char *const *x; /* [n_x] below the columns */
	const char *const *y; /* [n_y] beside the rows, the first at the top */
	size_t n_x, n_y;
	const double *value; /* [n_y * n_x] row by row */
};

void heatmap_svg(FILE *f, const struct heatmap *h);
/* Returns as plot_figure(). */
int heatmap_plot(struct plot *o, const struct heatmap *h, struct problem *p);
