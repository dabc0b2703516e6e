/* report/validation/validation.h -- writes the results of a validation: a
 * document with a leaderboard and tables of errors, one line per row and arm as
 * CSV, JSON, a scatter plot. */
#pragma once
#include <stdio.h>
#include "base/json/json_writer.h"
#include "draw/plot.h"
#include "report/document.h"
#include "validate/score/errors.h"
#include "validate/score/scores.h"

/* Fills in the document; the caller frees it.  Whiskers of its pictures are 90
 * % intervals from the errors of other folds. */
void validation_document(const struct validation *v, enum fold_by by,
			 struct document *d);
void validation_csv(const struct validation *v, FILE *f);
/* Writes members into the open object. */
void validation_json(const struct validation *v, struct jw *j);
/* Draws predicted over measured E2E latency of each run, a colour for each arm.
 * Returns 0, or -1 with *p filled in. */
int validation_plot(const struct validation *v, enum fold_by by,
		    struct plot *to, struct problem *p);
