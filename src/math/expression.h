/* math/expression.h -- arithmetic over names, in the language of experiments:
 *
 *   numbers, "texts", names (a.b.c), + - * / ^, < <= > >= == !=, and or not,
 *   if(c, a, b) min max abs floor ceil round sqrt log log2 exp, and over the
 *   rows of a table: all any count sum min max, as in any(T: x > 2), and mean
 *   median p10 p90 low high, which leave out rows with a text.  low and high
 *   are the ends of the 95 % interval of the mean (math/bootstrap.h).
 *   at(T: c, x) is x in the one row of T for which c holds.
 *
 * A text and a number are never equal; < and > refuse such a pair.
 *
 * The caller gives names their meaning.  True and false are the numbers 1 and
 * 0.  `if`, `and` and `or` evaluate only the operands they need.  Knows nothing
 * of experiments or cost models. */
#pragma once
#include <stddef.h>
#include "base/problem.h"

/* text is NULL for a number; else it lives as long as its source. */
struct value {
	double number;
	const char *text;
};

struct expression_scope {
	void *user;
	/* Gives the value of a name.  Returns 0, or -1 with *p filled in. */
	int (*name)(void *user, const char *name, struct value *out,
		    struct problem *p);
	/* rows() counts the rows of a table.  From enter() to leave() names
	 * refer to one row of it.  NULL: there are no tables. */
	int (*rows)(void *user, const char *table, size_t *n,
		    struct problem *p);
	int (*enter)(void *user, const char *table, size_t row,
		     struct problem *p);
	void (*leave)(void *user);
};

struct expression;

/* at: "file:line" of the text, for messages; must outlive the expression.
 * Returns NULL with *p filled in (EXIT_USAGE) if the text is wrong. */
struct expression *expression_parse(const char *text, const char *at,
				    struct problem *p);
void expression_free(struct expression *e);
/* Returns 0, or -1 with *p filled in. */
int expression_value(const struct expression *e,
		     const struct expression_scope *s, struct value *out,
		     struct problem *p);
/* Returns 1 if the comparison of --where holds, 0 if not, or -1 with *p filled
 * in. */
int expression_holds(const struct expression *e,
		     const struct expression_scope *s, struct problem *p);
/* Calls fn for each name outside of "T: ..." (in_tables: also inside), until fn
 * returns -1. */
int expression_names(const struct expression *e, int in_tables,
		     int (*fn)(void *user, const char *name, const char *at,
			       struct problem *p),
		     void *user, struct problem *p);
