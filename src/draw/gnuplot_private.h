/* draw/gnuplot_private.h -- a script handed to gnuplot, for the modules of this
 * room. */
#ifndef SC_DRAW_GNUPLOT_PRIVATE_H
#define SC_DRAW_GNUPLOT_PRIVATE_H
#include <stdio.h>
#include "base/problem.h"

/* Terminal and output are set for path (.svg or .png); the rest is the
 * script's.  0, or -1 with *p. */
int gnuplot_run(void (*script)(FILE *f, const void *what), const void *what,
		const char *path, struct problem *p);
/* A text in single quotes. */
void gnuplot_quoted(FILE *f, const char *s);
#endif
