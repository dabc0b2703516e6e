/* report/experiment.h -- writes a computed experiment as text, as CSV with one
 * line per cell, or as a JSON document.  doc/experiments.md shows them. */
#pragma once
#include <stdio.h>
#include "experiment/experiment.h"

/* Returns the verdict: of the claim, else by the rule of the source; NULL:
 * there is neither. */
const char *experiment_verdict(const struct experiment *x);
void experiment_text(const struct experiment *x, FILE *f);
void experiment_csv(const struct experiment *x, FILE *f);
void experiment_json(const struct experiment *x, FILE *f);
