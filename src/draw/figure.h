/* draw/figure.h -- plots as data, which draw/svg.h and draw/gnuplot.h draw.
 *
 * A figure is a set of series over two axes, or a waterfall of bars; it points
 * to the caller's numbers and owns nothing.  Series differ by colour and also
 * by dash or shape, so that a grey print is readable.  Points that are not
 * finite, or not positive on a logarithmic axis, are left out.  Knows nothing
 * of cost models. */
#ifndef SC_DRAW_FIGURE_H
#define SC_DRAW_FIGURE_H
#include <stddef.h>

#define FIGURE_COLOURS 10 /* slots; the series after them begin again */
/* "#0072b2" ..., distinguishable on a light page. */
extern const char *const figure_colour[FIGURE_COLOURS];
enum { FIGURE_WIDTH = 720, FIGURE_HEIGHT = 380 }; /* pixels of an image file */

enum figure_mark {
	MARK_LINE,   /* points joined */
	MARK_STEPS,  /* y holds until the next x: an ECDF, a timeline */
	MARK_POINTS, /* a scatter */
};

struct figure_series {
	const char *name; /* in the legend; NULL: not in the legend */
	enum figure_mark mark;
	unsigned slot; /* colour, dash, shape: 0 … FIGURE_COLOURS − 1 */
	const double *x, *y;
	size_t n;
	/* [n] ends of the whisker at each of MARK_POINTS; NULL: no whiskers. */
	const double *low, *high;
};

struct figure {
	const char *title, *x_label, *y_label;
	int log_x, log_y;
	const struct figure_series *series;
	size_t n_series;
};

/* Changes from zero to a sum: each bar begins where the bar above it ends, and
 * the last bar is the sum. */
struct waterfall {
	const char *title, *unit;
	const char *const *label; /* [n] beside the bars */
	const double *change;     /* [n] finite */
	size_t n;
	const char *sum_label;
};

#endif
