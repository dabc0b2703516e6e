/* report/sweep/sweep_page.h -- a sweep as figures: latency over throughput, the
 * Pareto front, a heat map of two axes, and each arm's choice; all on one page,
 * or one of them as a file. */
#pragma once
#include <stdio.h>
#include "draw/plot.h"
#include "store/reader.h"

/* Columns; NULL: the usual one for the mode. */
struct sweep_view {
	const char *x, *y; /* of the curves */
	const char *value; /* of the heat map */
};
/* Writes the page; it begins with the question, the command that made it, and
 * the answer.  Returns 0, or -1 with *p filled in. */
int sweep_page_write(FILE *f, struct store *s, struct reader *r,
		     const struct sweep_view *v, const char *command,
		     struct problem *p);
/* Writes one figure to a file: latency, pareto, heatmap, or heatmap-ARM.
 * Returns 0, or -1 with *p filled in. */
int sweep_page_plot(struct store *s, struct reader *r,
		    const struct sweep_view *v, const char *figure,
		    struct plot *to, struct problem *p);
