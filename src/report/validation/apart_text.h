/* report/validation/apart_text.h -- the errors of an arm on measured runs with
 * prefill and decode apart, as tables to read. */
#ifndef SC_REPORT_VALIDATION_APART_TEXT_H
#define SC_REPORT_VALIDATION_APART_TEXT_H
#include <stdio.h>
#include "validate/score/errors.h"

/* Writes nothing if the arm prices no such run. */
void apart_text(const struct validation *v, size_t arm, FILE *f);
#endif
