/* report/sweep/sweep_rows_document.h -- rows of a sweep as a document: a table
 * of axes, arm, seed and headline figures, then the warnings of its rows. */
#pragma once
#include "report/document.h"
#include "store/reader.h"

/* Adds the rows.  The reader is at its beginning before and after; *d is empty,
 * and the caller frees it in either case.  Returns 0,
 * or -1 with *p filled in. */
int sweep_rows_document(struct document *d, struct reader *r,
			struct problem *p);
