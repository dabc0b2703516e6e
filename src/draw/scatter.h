/* draw/scatter.h -- a figure of points in series, such as predicted over
 * measured times of some arms.  It owns its numbers; names are the caller's. */
#pragma once
#include "draw/figure.h"

struct scatter {
	double *x; /* [6 * room] x, y, then both ends of both whiskers */
	size_t n, room;
	struct figure_series *series;
	size_t n_series;
	double diagonal[2];
};

/* Makes room for that many points and series.  Returns 0, or -1 if memory is
 * out.  The caller calls scatter_free() in either case. */
int scatter_open(struct scatter *o, size_t points, size_t series);
/* Begins a series.  One without points is left out of the figure. */
void scatter_begin(struct scatter *o, const char *name, unsigned slot);
/* Adds a point to the series, unless x is not above 0, or y is no number. */
void scatter_add(struct scatter *o, double x, double y);
/* Sets a whisker of the last point, up and down or to its sides; NaN: none. */
void scatter_whisker(struct scatter *o, double low, double high);
void scatter_whisker_x(struct scatter *o, double left, double right);
/* Returns the figure, with logarithmic axes. */
struct figure scatter_figure(const struct scatter *o, const char *title,
			     const char *x_label, const char *y_label);
/* The same with the diagonal: there y, the prediction, is x. */
struct figure scatter_predicted(struct scatter *o, const char *title,
				const char *x_label, const char *y_label);
void scatter_free(struct scatter *o);
