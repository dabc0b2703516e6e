/* report/recommend/pareto_rows.h -- the Pareto front as rows, for all forms of
 * a recommendation, and as a picture. */
#pragma once
#include <stdio.h>
#include "draw/figure.h"
#include "recommend/recommend.h"

struct pareto_row {
	size_t point;
	double x, y, v[RECOMMEND_FIGURES];
};
struct pareto_rows {
	struct pareto_row *row; /* from the highest x to the lowest           */
	size_t n;
};
/* is_all: also the runs that others beat.  If memory is out it is empty.  The
 * caller frees f->row. */
void pareto_rows(struct pareto_rows *f, const struct recommend *r, size_t arm,
		 int is_all);
/* Writes "output tokens/s per GPU against output tokens/s per user". */
void pareto_title(const struct recommend *r, FILE *f);
/* Draws the runs of each arm that met the bounds, and its front as a line. */
void pareto_picture(const struct recommend *r, FILE *f);
