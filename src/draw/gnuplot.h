/* draw/gnuplot.h -- a figure as a file of its own, drawn by gnuplot in a child
 * process. */
#ifndef SC_DRAW_GNUPLOT_H
#define SC_DRAW_GNUPLOT_H
#include "base/problem.h"
#include "draw/figure.h"

/* To path, by its ending: .svg or .png.  0; or -1 with *p (EXIT_USAGE): another
 * ending, or no gnuplot on this machine. */
int gnuplot_figure(const struct figure *g, const char *path, struct problem *p);
#endif
