/* validate/measured/condition.h -- a condition on a column of a measured row:
 * alternatives; one must match.
 *
 * An alternative is a glob ("fp8*"), "-" for an empty cell, or a range
 * ("2026-03-01..2026-04-22", "2..", "..7") with both ends in it.  Columns of
 * text compare as text, so that days are in order, others as numbers. */
#pragma once
#include "validate/measured/measured.h"

/* The column of that name; NULL: there is none. */
const struct measured_column *condition_column(const char *name);
/* text: the cell of a column of texts; NULL if the cell is empty. */
int condition_on_text(const char *alternatives, const char *text);
int condition_on_number(const char *alternatives, double number);
/* The cell of that column. */
int condition_holds(const struct measured_column *c, const char *alternatives,
		    const struct measured_row *r);
