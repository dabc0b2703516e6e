/* report/results/effects.h -- writes effects of switches and of their
 * interactions. */
#pragma once
#include "base/json/json_writer.h"
#include "math/factorial.h"
#include "report/document.h"

/* The effects on one figure. */
struct effects_of {
	const char *const *factor; /* names of the switches */
	unsigned k;
	const char *metric;
	int decimals;
	const struct effect *item; /* [n] */
	size_t n;
	const char *group; /* the rows that they are of; NULL: all */
};
/* Adds a table.  In the short text it has the largest ones alone. */
void effects_table(const struct effects_of *e, struct document *d);
/* Writes the effects as objects of the open array. */
void effects_json(const struct effects_of *e, struct jw *j);
