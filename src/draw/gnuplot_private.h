/* draw/gnuplot_private.h -- a script handed to gnuplot, for the modules of this
 * room. */
#ifndef SC_DRAW_GNUPLOT_PRIVATE_H
#define SC_DRAW_GNUPLOT_PRIVATE_H
#include <stdio.h>
#include "draw/gnuplot.h"

/* Terminal and output are set; the rest is the script's.  As
 * gnuplot_figure(). */
int gnuplot_run(struct gnuplot *o,
		void (*write_script)(FILE *f, const void *what),
		const void *what, struct problem *p);
/* A text in single quotes. */
void gnuplot_quoted(FILE *f, const char *s);
#endif
