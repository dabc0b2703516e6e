/* draw/gnuplot.h -- draws a script as .png with gnuplot in a child process.
 * gnuplot gets the script on its standard input and the file as its standard
 * output.  So no shell is involved, and gnuplot sees no file name that it might
 * take for a command. */
#ifndef SC_DRAW_GNUPLOT_H
#define SC_DRAW_GNUPLOT_H
#include <stdio.h>
#include "base/outfile.h"
#include "base/problem.h"

/* Returns 1 if the program is on the PATH. */
int gnuplot_is_there(void);
/* Sets terminal and output and runs the script.  Returns 0, or -1 with *p
 * filled in (EXIT_USAGE). */
int gnuplot_png(struct outfile *to,
		void (*write_script)(FILE *f, const void *what),
		const void *what, struct problem *p);
/* Writes a text in single quotes. */
void gnuplot_quoted(FILE *f, const char *s);
#endif
