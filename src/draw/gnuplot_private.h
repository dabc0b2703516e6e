/* draw/gnuplot_private.h -- runs gnuplot on a script; for the modules of this
 * room. */
#ifndef SC_DRAW_GNUPLOT_PRIVATE_H
#define SC_DRAW_GNUPLOT_PRIVATE_H
#include <stdio.h>
#include "draw/gnuplot.h"

/* Sets terminal and output and runs the script.  Returns as
 * gnuplot_figure(). */
int gnuplot_run(struct gnuplot *o,
		void (*write_script)(FILE *f, const void *what),
		const void *what, struct problem *p);
/* Writes a text in single quotes. */
void gnuplot_quoted(FILE *f, const char *s);
#endif
