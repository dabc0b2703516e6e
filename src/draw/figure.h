/* draw/figure.h -- plots as data: what draw/svg.h and draw/gnuplot.h draw.
 *
 * A figure is a set of series over two axes, or a waterfall of bars; it points
 * to the caller's numbers and owns nothing.  Series differ by colour
 * and by dash or shape, so that a print in grey can be read.  Points that are
 * not finite, or not positive on a logarithmic axis, are left out.  Knows
 * nothing of cost models. */
#ifndef SC_DRAW_FIGURE_H
#define SC_DRAW_FIGURE_H
#include <stddef.h>

#define FIGURE_COLOURS 10 /* slots; more series than this begin again */
/* "#0072b2" ..., to be told apart on a light page. */
extern const char *const figure_colour[FIGURE_COLOURS];
enum { FIGURE_WIDTH = 720, FIGURE_HEIGHT = 380 }; /* pixels of a file */

enum figure_mark {
	MARK_LINE,   /* points joined                                     */
	MARK_STEPS,  /* y holds until the next x: an ECDF, a timeline     */
	MARK_POINTS, /* a scatter                                         */
};

struct figure_series {
	const char *name; /* in the legend; NULL: not there               */
	enum figure_mark mark;
	unsigned slot; /* colour, dash, shape: 0 … FIGURE_COLOURS − 1      */
	const double *x, *y;
	size_t n;
	/* [n] ends of a whisker at each of MARK_POINTS; NULL: none has one. */
	const double *low, *high;
};

struct figure {
	const char *title, *x_label, *y_label;
	int log_x, log_y;
	const struct figure_series *series;
	size_t n_series;
};

/* What leads from zero to a sum: each bar begins where the one above it ends,
 * and the last one is the sum. */
struct waterfall {
	const char *title, *unit;
	const char *const *label; /* [n] beside the bars                   */
	const double *change;     /* [n] finite                            */
	size_t n;
	const char *sum_label;
};

#endif
