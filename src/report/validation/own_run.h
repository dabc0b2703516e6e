/* report/validation/own_run.h -- a validation of one measured run: measured,
 * predicted, error and interval of each figure, instead of errors over rows. */
#pragma once
#include "report/document.h"
#include "validate/validation.h"

/* Returns 1 if the file has one row, and it was simulated. */
int own_run_is_alone(const struct validation *v);
/* Adds the answer, dots of the mean latencies, and a table of all figures.
 * order[n_arms]: the arms, the best first. */
void own_run_document(const struct validation *v, const size_t *order,
		      struct document *d);
