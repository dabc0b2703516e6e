/* report/sweep/sweep_front.h -- the rows of a sweep that no other row beats in
 * two figures, each judged in its own direction. */
#ifndef SC_REPORT_SWEEP_SWEEP_FRONT_H
#define SC_REPORT_SWEEP_SWEEP_FRONT_H
#include "base/names.h"
#include "store/reader.h"

/* Among rows that have the same text in the columns of `by`.  Sets
 * *chosen[place of the row among those of the reader], which the caller frees.
 * 0, or -1 with *p: no such column, or neither more nor less of it is better.
 * The reader is at its beginning, before and after. */
int sweep_front(struct reader *r, const char *x, const char *y,
		const struct names *by, unsigned char **chosen,
		struct problem *p);
/* The column and which way is better, 1 or -1.  -1 with *p. */
long sweep_judged_column(const struct reader *r, const char *name, int *better,
			 struct problem *p);
#endif
