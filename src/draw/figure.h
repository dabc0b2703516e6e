/* draw/figure.h -- plots as data, which draw/svg.h and draw/plot.h draw.
 *
 * A figure is a set of series over two axes, or a waterfall of bars; it points
 * to the caller's numbers and owns nothing.  Series differ by colour and also
 * by dash or shape, so that a grey print is readable.  Points that are not
 * finite, or not positive on a logarithmic axis, are left out.  Knows nothing
 * of cost models. */
#pragma once
#include <stddef.h>

#define FIGURE_COLOURS 10 /* slots; the series after them begin again */
/* "#0072b2" ..., distinguishable on a light page. */
extern const char *const figure_colour[FIGURE_COLOURS];

enum figure_mark {
	MARK_LINE,   /* points joined */
	MARK_STEPS,  /* y holds until the next x: an ECDF, a timeline */
	MARK_POINTS, /* a scatter */
	MARK_ANSWER, /* a few large points: the answer */
	MARK_RULE,   /* points joined in the colour of text: a bound */
};

struct figure_series {
	const char *name; /* in the legend; NULL: not in the legend */
	enum figure_mark mark;
	unsigned slot; /* colour: 0 … FIGURE_COLOURS − 1 */
	/* 1 …: lines of a colour differ by this; 0: each colour has its own. */
	unsigned dash;
	const double *x, *y;
	size_t n;
	/* [n] ends of the whisker at each point; NULL: no whiskers. */
	const double *low, *high;
	/* The same for whiskers along x. */
	const double *left, *right;
};

enum figure_scale {
	SCALE_LINEAR,
	SCALE_LOG,
	/* Logarithmic if all values are positive and span over two decades. */
	SCALE_BY_RANGE,
};

struct figure {
	const char *title, *x_label, *y_label;
	enum figure_scale scale_x, scale_y;
	const struct figure_series *series;
	size_t n_series;
};
/* Returns 1 if the axis is logarithmic. */
int figure_log_x(const struct figure *g);
int figure_log_y(const struct figure *g);

/* Changes from zero to a sum: each bar begins where the bar above it ends, and
 * the last bar is the sum. */
struct waterfall {
	const char *title, *unit;
	const char *const *label; /* [n] beside the bars */
	const double *change;     /* [n] finite */
	size_t n;
	const char *sum_label;
};
