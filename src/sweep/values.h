/* sweep/values.h -- the values of an axis: "a,b,c", "from:to:step",
 * "from:to:*factor", or these in one list.
 *
 * Ends are included.  A number is written in its shortest form, so that 5, 5.0
 * and 5e0 are the same point.  Where a value has a comma of its own, ';' stands
 * between values. */
#ifndef SC_SWEEP_VALUES_H
#define SC_SWEEP_VALUES_H
#include "base/names.h"
#include "base/problem.h"

enum { VALUES_MOST = 1000000, VALUE_SIZE = 1024 };

/* axis: for messages.  0, or -1 with *p (EXIT_USAGE): no value, one given
 * twice, a range that never ends. */
int values_parse(struct names *out, const char *axis, const char *text,
		 struct problem *p);
/* One value as it stands in a plan: without blanks around it, a number in its
 * shortest form.  Longer ones are cut. */
void value_plain(char out[VALUE_SIZE], const char *text, size_t n);
#endif
