/* report/score/fit.h -- writes a fit to measured steps: an INI with its figures
 * as remarks, JSON, and a row for each step. */
#pragma once
#include <stdio.h>
#include "steps/fit.h"

/* Standard deviations for `linear`; NaN: not asked for. */
struct fit_uncertainty {
	double sigma, noise;
};
void fit_text(const struct fit *f, const struct fit_uncertainty *u, FILE *to);
void fit_json(const struct fit *f, const struct fit_uncertainty *u, FILE *to);
/* A line for each step: predicted by a fit that has not seen it. */
void fit_rows(const struct fit *f, FILE *to);
