/* report/validation/own_run.h -- a validation of one measured run: measured,
 * predicted, error and interval of each figure, instead of errors over rows. */
#ifndef SC_REPORT_VALIDATION_OWN_RUN_H
#define SC_REPORT_VALIDATION_OWN_RUN_H
#include <stdio.h>
#include "validate/validation.h"

/* Returns 1 if the file has one row, and it was simulated. */
int own_run_is_alone(const struct validation *v);
/* order[n_arms]: the arms, the best first. */
void own_run_text(const struct validation *v, const size_t *order, FILE *f);
/* Draws the mean latencies for a page: as measured, and as each arm predicts
 * them, with their intervals as whiskers. */
void own_run_dots(const struct validation *v, FILE *f);
#endif
