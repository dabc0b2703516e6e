/* report/validation/coverage.h -- how many measured figures lie within the
 * intervals that are printed for them: a table for intervals by errors of other
 * runs, and one for those that cost models give themselves.  Both add nothing
 * without rows.  [one thread] */
#pragma once
#include "report/document.h"
#include "validate/score/scores.h"

/* by: the rows of one fold are left out together. */
void coverage_of_errors(struct document *d, const struct validation *v,
			enum fold_by by);
void coverage_of_models(struct document *d, const struct validation *v);
