/* report/validation/validation.h -- writes the results of a validation: a
 * leaderboard and error tables as text, one line per row and arm as CSV, a JSON
 * document, a page, a scatter plot. */
#ifndef SC_REPORT_VALIDATION_VALIDATION_H
#define SC_REPORT_VALIDATION_VALIDATION_H
#include <stdio.h>
#include "base/json_writer.h"
#include "draw/plot.h"
#include "validate/score/errors.h"
#include "validate/score/scores.h"

void validation_text(const struct validation *v, FILE *f);
/* Writes how many measured figures lay in their intervals, by folds. */
void validation_coverage_text(const struct validation *v, enum fold_by by,
			      FILE *f);
void validation_csv(const struct validation *v, FILE *f);
/* Writes members into the open object. */
void validation_json(const struct validation *v, struct jw *j);
/* Writes a page with predicted over measured times; whiskers are 90 % intervals
 * from the errors of other folds. */
void validation_html(const struct validation *v, enum fold_by by, FILE *f);
/* Draws predicted over measured E2E latency of each run, a colour for each arm.
 * Returns 0, or -1 with *p filled in. */
int validation_plot(const struct validation *v, enum fold_by by,
		    struct plot *to, struct problem *p);
#endif
