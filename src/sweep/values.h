/* sweep/values.h -- the values of an axis: "a,b,c", "from:to:step",
 * "from:to:*factor", or several of these in a list.
 *
 * Ends are included.  A number is written in its shortest form, so that 5, 5.0
 * and 5e0 are the same point.  If a value contains a comma, ';' separates the
 * values. */
#pragma once
#include "base/names.h"
#include "base/problem.h"

enum { VALUES_MOST = 1000000, VALUE_SIZE = 1024 };

/* axis: for messages.  Returns 0, or -1 with *p filled in (EXIT_USAGE): no
 * value, a value given twice, a range that never ends. */
int values_parse(struct names *out, const char *axis, const char *text,
		 struct problem *p);
/* The same for another option than --axis, which messages name. */
int values_parse_as(struct names *out, const char *option, const char *axis,
		    const char *text, struct problem *p);
/* Writes a value as plans have it: without blanks around it, a number in its
 * shortest form; longer values are truncated. */
void value_plain(char out[VALUE_SIZE], const char *text, size_t n);
