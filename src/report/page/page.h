/* report/page/page.h -- a study as one page to look at: what was simulated,
 * verdicts, metrics, why arms differ (page_parts.h), then distributions, step
 * times and timelines, and every number of the JSON document.  The arms' logs
 * are still there (study_task.keep_logs). Points of a plot are chosen at fixed
 * places, so that the page stays small and is the same every time. */
#ifndef SC_REPORT_PAGE_PAGE_H
#define SC_REPORT_PAGE_PAGE_H
#include <jansson.h>
#include "draw/gnuplot.h"
#include "study/findings.h"

/* document: what findings_json() wrote.  0, or -1 with *p. */
int page_write(FILE *f, const struct findings *w, const json_t *document,
	       struct problem *p);
/* One figure as a file through gnuplot. */
struct page_plot {
	const char *figure;
	struct gnuplot to;
};
/* "FIGURE=FILE", or FILE alone for the distribution of TTFT; .svg or .png.  0,
 * or -1 with *p. */
int page_plot_open(struct page_plot *o, const char *figure_path,
		   struct problem *p);
int page_plot(struct page_plot *o, const struct study *s, struct problem *p);
#endif
