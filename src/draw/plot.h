/* draw/plot.h -- a figure in a file of its own: .svg is drawn by draw/svg.h,
 * .png is made of that by the program rsvg-convert. */
#pragma once
#include "base/file/outfile.h"
#include "base/problem.h"
#include "draw/figure.h"

struct plot {
	struct outfile to; /* the caller commits or discards it */
	int is_png;
	/* Between plot_begin() and plot_end(), of a .png: the SVG. */
	FILE *svg;
	char *text;
	size_t size;
};

/* Opens path; its ending, .svg or .png, decides on the format.  Returns 0, or
 * -1 with *p filled in (EXIT_USAGE): another ending, a name that is a command,
 * no rsvg-convert on this machine for a .png, or the file cannot be written. */
int plot_open(struct plot *o, const char *path, struct problem *p);
/* Returns where the SVG is written, or NULL with *p filled in. */
FILE *plot_begin(struct plot *o, struct problem *p);
/* Ends the figure that plot_begin() began.  Returns 0, or -1 with *p filled in
 * (EXIT_USAGE). */
int plot_end(struct plot *o, struct problem *p);
/* Draws a whole figure.  Returns as plot_end(). */
int plot_figure(struct plot *o, const struct figure *g, struct problem *p);
