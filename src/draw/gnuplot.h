/* draw/gnuplot.h -- a figure as a file of its own, drawn by gnuplot in a child
 * process.  gnuplot gets a script on its standard input and a file on its
 * standard output: no shell is in between, and it is told no name of a file,
 * which it might take for a command. */
#ifndef SC_DRAW_GNUPLOT_H
#define SC_DRAW_GNUPLOT_H
#include "base/outfile.h"
#include "base/problem.h"
#include "draw/figure.h"

struct gnuplot {
	struct outfile to; /* the caller commits or discards it           */
	int is_png;
};

/* To path, by its ending: .svg or .png.  0; or -1 with *p (EXIT_USAGE): another
 * ending, a name that is none, no gnuplot on this machine, or the file cannot
 * be written. */
int gnuplot_open(struct gnuplot *o, const char *path, struct problem *p);
/* 0, or -1 with *p (EXIT_USAGE). */
int gnuplot_figure(struct gnuplot *o, const struct figure *g,
		   struct problem *p);
#endif
