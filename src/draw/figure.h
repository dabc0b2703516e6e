/* draw/figure.h -- plots as data: what draw/svg.h and draw/gnuplot.h draw.
 *
 * A figure is a set of series over two axes, or a set of stacked bars; it
 * points to the caller's numbers and owns nothing.  Series differ by colour
 * and by dash or shape, so that a print in grey can be read.  Points that are
 * not finite, or not positive on a logarithmic axis, are left out.  Knows
 * nothing of cost models. */
#ifndef SC_DRAW_FIGURE_H
#define SC_DRAW_FIGURE_H
#include <stddef.h>

#define FIGURE_COLOURS 10 /* slots; more series than this begin again */
/* "#0072b2" ..., to be told apart on a light page. */
extern const char *const figure_colour[FIGURE_COLOURS];
enum { FIGURE_WIDTH = 720, FIGURE_HEIGHT = 380 }; /* pixels */

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
};

struct figure {
	const char *title, *x_label, *y_label;
	int log_x, log_y;
	const struct figure_series *series;
	size_t n_series;
};

/* Stacked bars: what is positive goes up from zero, what is negative down. */
struct bars {
	const char *title, *y_label;
	const char *const *category; /* [n_categories] below the bars      */
	size_t n_categories;
	const char *const *part; /* [n_parts] in the legend                */
	size_t n_parts;
	const double *value; /* [n_categories * n_parts], a category's parts
				stand together                             */
};

#endif
