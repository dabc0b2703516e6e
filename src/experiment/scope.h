/* experiment/scope.h -- the meaning of names in the expressions of an
 * experiment: a row variable, an earlier column of the table, or
 * ARM.STEP.FIELD, the answer of the arm for that step or kernel of the row.  In
 * any(T: ...) a name that T lacks is looked up in the row around it. */
#pragma once
#include <stdio.h>
#include "experiment/experiment.h"

enum { SCOPE_NEST = 8 }; /* nested tables: all(A: any(B: ...)) */

/* The place where an expression is evaluated. */
struct scope {
	const struct experiment *x;
	struct {
		const struct xp_table *table; /* NULL: outside of tables */
		size_t row;
		size_t n_columns; /* columns that are known already */
	} in[SCOPE_NEST];
	int depth;
};

/* A text in *out lives as long as the experiment.  Returns 0, or -1 with *p
 * filled in. */
int scope_value(struct scope *at, const struct expression *e, struct value *out,
		struct problem *p);

/* The parts of "ARM.STEP.FIELD": the first dot ends the arm, the last dot
 * begins the field. */
struct answer_name {
	const char *arm, *ask, *field;
	size_t n_arm, n_ask; /* bytes */
};
/* Returns 0, or -1 if the name has another form. */
int scope_answer_name(const char *name, struct answer_name *out);
/* Writes the value of the n bytes between braces.  Returns 0, or -1 with *p. */
typedef int scope_put_fn(FILE *f, void *user, const char *inner, size_t n,
			 struct problem *p);
/* Returns the text with what put() writes in place of each {...}; a '{' without
 * a '}' stays as it is.  The caller frees it; NULL with *p filled in. */
char *scope_fill(const char *text, scope_put_fn *put, void *user,
		 struct problem *p);
/* Returns a name with the values of the row in place of its {variables}; the
 * caller frees it.  NULL with *p filled in. */
char *scope_name(const struct scope *at, const char *name, struct problem *p);
/* Returns the point in the scope's row with this answer, or NULL. */
const struct xp_point *scope_point(const struct scope *at,
				   const struct answer_name *name);
/* Returns a cell as a value: a number if the whole cell is one, else the
 * text. */
struct value scope_cell(const char *text);
