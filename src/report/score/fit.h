/* report/score/fit.h -- writes a fit to measured steps: an INI with a document
 * as its remarks, JSON, and a row for each step. */
#pragma once
#include <stdio.h>
#include "report/document.h"
#include "steps/fit.h"

/* Standard deviations for `linear`; NaN: not asked for. */
struct fit_uncertainty {
	double sigma, noise;
};
/* The caller calls document_free(). */
void fit_document(const struct fit *f, struct document *d);
/* Writes the section of arm 0, its plugin and its preset.  Each line begins
 * with `mark`; "; " makes remarks of the lines. */
void fit_arm_head(FILE *to, const struct config *c, const char *mark);
void fit_text(const struct fit *f, const struct fit_uncertainty *u, FILE *to);
void fit_json(const struct fit *f, const struct fit_uncertainty *u, FILE *to);
/* A line for each step: predicted by a fit that has not seen it. */
void fit_rows(const struct fit *f, FILE *to);
