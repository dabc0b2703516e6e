/* experiment/scope.h -- what names mean in the expressions of an experiment: a
 * row variable, an earlier column of the table, or ARM.STEP.FIELD, which is
 * what the arm answered for that step or kernel of the row. */
#ifndef SC_EXPERIMENT_SCOPE_H
#define SC_EXPERIMENT_SCOPE_H
#include "experiment/experiment.h"

enum { SCOPE_NEST = 8 }; /* tables within each other: all(A: any(B: ...)) */

/* Where an expression is evaluated. */
struct scope {
	const struct experiment *x;
	struct {
		const struct xp_table *table; /* NULL: in none */
		size_t row;
		size_t n_columns; /* those that are known already */
	} in[SCOPE_NEST];
	int depth;
};

/* A text in *out lives as long as the experiment.  0, or -1 with *p. */
int scope_value(struct scope *at, const struct expression *e, struct value *out,
		struct problem *p);

/* "ARM.STEP.FIELD" taken apart: the first dot ends the arm, the last one begins
 * the field. */
struct answer_name {
	const char *arm, *ask, *field;
	size_t n_arm, n_ask; /* bytes */
};
/* 0, or -1: not of that form. */
int scope_answer_name(const char *name, struct answer_name *out);
/* The point in the scope's row that is priced for it; NULL: none. */
const struct xp_point *scope_point(const struct scope *at,
				   const struct answer_name *name);
/* A cell as a value: a number if all of it is one, else the text itself. */
struct value scope_cell(const char *text);
#endif
