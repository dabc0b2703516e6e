/* report/validation/compared_page.h -- one measured run beside the simulated
 * ones as pictures: a dot for each arm, a whisker where its interval is known,
 * and the measured figure, or the range that it lies in.  As a page, and as a
 * scatter of all figures. */
#pragma once
#include "base/problem.h"
#include "draw/plot.h"
#include "report/validation/compared.h"

/* Adds a picture of each latency, if an arm has that statistic of it, for a
 * page.  An arm keeps its colour, whether it has figures or not. */
void compared_dots(const struct compared *c, size_t n_arms,
		   const char *statistic, struct document *d);
/* Fills in a document; `about`: a line on the measurement and the simulation.
 * The caller frees it. */
void compared_document(const struct compared *c, size_t n_arms,
		       const char *about, struct document *d);
/* Draws predicted over measured, a point for each figure.  A measured range is
 * a whisker around its middle; one without an end is left out.  Returns 0, or
 * -1 with *p filled in. */
int compared_plot(const struct compared *c, size_t n_arms, struct plot *to,
		  struct problem *p);
