/* draw/plot.h -- a figure in a file of its own: .svg is drawn by draw/svg.h,
 * .png by the program gnuplot. */
#ifndef SC_DRAW_PLOT_H
#define SC_DRAW_PLOT_H
#include "base/outfile.h"
#include "base/problem.h"
#include "draw/figure.h"

struct plot {
	struct outfile to; /* the caller commits or discards it */
	int is_png;
};

/* Opens path; its ending, .svg or .png, decides on the format.  Returns 0, or
 * -1 with *p filled in (EXIT_USAGE): another ending, a name that is a command,
 * no gnuplot on this machine for a .png, or the file cannot be written. */
int plot_open(struct plot *o, const char *path, struct problem *p);
/* Returns 0, or -1 with *p filled in (EXIT_USAGE). */
int plot_figure(struct plot *o, const struct figure *g, struct problem *p);
#endif
