/* draw/gnuplot.h -- draws a figure into a file of its own with gnuplot in a
 * child process.  gnuplot gets a script on its standard input and a file as its
 * standard output.  So no shell is involved, and gnuplot sees no file name that
 * it might take for a command. */
#ifndef SC_DRAW_GNUPLOT_H
#define SC_DRAW_GNUPLOT_H
#include "base/outfile.h"
#include "base/problem.h"
#include "draw/figure.h"

struct gnuplot {
	struct outfile to; /* the caller commits or discards it */
	int is_png;
};

/* Opens path; its ending, .svg or .png, decides on the format.  Returns 0, or
 * -1 with *p filled in (EXIT_USAGE): another ending, a name that is a command,
 * no gnuplot on this machine, or the file cannot be written. */
int gnuplot_open(struct gnuplot *o, const char *path, struct problem *p);
/* Returns 0, or -1 with *p filled in (EXIT_USAGE). */
int gnuplot_figure(struct gnuplot *o, const struct figure *g,
		   struct problem *p);
#endif
