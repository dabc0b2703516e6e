/* draw/figure.h -- plots as data, drawn as inline SVG for a page or, for single
 * files, through gnuplot.
 *
 * A figure is a set of series over two axes, or a set of stacked bars; it
 * points to the caller's numbers and owns nothing.  Series differ by colour
 * and by dash or shape, so that a print in grey can be read.  Colours are CSS
 * variables (figure_css), so that light, dark and print are the page's choice.
 * Points that are not finite, or not positive on a logarithmic axis, are left
 * out.  Knows nothing of cost models; writes only to the FILE it is given. */
#ifndef SC_DRAW_FIGURE_H
#define SC_DRAW_FIGURE_H
#include <stddef.h>
#include <stdio.h>
#include "base/problem.h"

#define FIGURE_COLOURS 10 /* slots; more series than this begin again */

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

void figure_svg(FILE *f, const struct figure *g);
void bars_svg(FILE *f, const struct bars *b);
/* The style sheet that both need, once per page. */
void figure_css(FILE *f);
/* To path, by its ending: .svg or .png.  0; or -1 with *p: another ending, or
 * no gnuplot on this machine. */
int figure_gnuplot(const struct figure *g, const char *path, struct problem *p);
/* Text with what HTML and SVG do not take replaced. */
void figure_text(FILE *f, const char *s);
#endif
