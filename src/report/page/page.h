/* report/page/page.h -- the figures of a study: distributions, step times,
 * timelines, replicas over time.
 *
 * It reads the arms' logs, which must still exist (study_task.keep_logs).  The
 * points of a plot are chosen at fixed positions, so that the page stays small
 * and is the same every time. */
#pragma once
#include "draw/plot.h"
#include "report/document.h"
#include "study/findings.h"

/* Adds all figures to the document.  Returns 0, or -1 with *p filled in. */
int page_figures(struct document *d, const struct findings *w,
		 struct problem *p);
/* One figure in a file of its own. */
struct page_plot {
	const struct page_figure *figure; /* NULL: none was asked for */
	struct plot to;
};
/* figure_path: "FIGURE=FILE", or FILE alone for the distribution of TTFT; .svg
 * or .png.  Returns 0, or -1 with *p filled in. */
int page_plot_open(struct page_plot *o, const char *figure_path,
		   struct problem *p);
/* Returns 1 if the figure shows why arms differ, so that it needs an
 * explain_run(). */
int page_plot_is_why(const struct page_plot *o);
int page_plot(struct page_plot *o, const struct findings *w, struct problem *p);
