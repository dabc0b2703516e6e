/* report/validation/step_validation.h -- writes measured engine steps next to
 * their prices: a table of errors by kind of step, and one line per step and
 * arm. */
#ifndef SC_REPORT_VALIDATION_STEP_VALIDATION_H
#define SC_REPORT_VALIDATION_STEP_VALIDATION_H
#include <stdio.h>
#include "validate/step_validation.h"

void step_validation_text(const struct step_validation *v, FILE *f);
void step_validation_csv(const struct step_validation *v, FILE *f);
#endif
