/* report/sweep/sweep_pareto_rows.h -- the Pareto front of a sweep: the rows
 * that no other row beats in two figures, each judged in its own direction. */
#pragma once
#include "base/names.h"
#include "store/reader.h"

/* Rows compete with rows that have the same text in the columns of `by`.  Sets
 * (*chosen)[i] for the i-th row of the reader; the caller frees *chosen.
 * *blank: the rows without one of the two figures, which are on no front.
 * Returns 0, or -1 with *p filled in: there is no such column, or neither more
 * nor less of it is better.  The reader is at its beginning before and
 * after. */
int sweep_pareto_rows(struct reader *r, const char *x, const char *y,
		      const struct names *by, unsigned char **chosen,
		      size_t *blank, struct problem *p);
/* Returns the column; *better is 1 if more is better, or -1.  Returns -1 with
 * *p filled in on an error. */
long sweep_decision_column(const struct reader *r, const char *name,
			   int *better, struct problem *p);
