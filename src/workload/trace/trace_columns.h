/* workload/trace/trace_columns.h -- the key `columns`: which columns of a CSV
 * file have the time and the lengths of a request, and the unit of the time.
 *
 * Its text is "time:NAME@UNIT, input:NAME, output:NAME".  A name with a comma,
 * or an @ in the name of the time, is quoted as in CSV.  Zeroed means that no
 * columns are given. */
#pragma once
#include "base/problem.h"
#include "workload/trace/trace_unit.h"

enum trace_role { ROLE_TIME, ROLE_INPUT, ROLE_OUTPUT, N_ROLES };
enum { COLUMN_LONGEST = 127, TRACE_COLUMNS_TEXT = N_ROLES * 280 };
struct trace_columns {
	char name[N_ROLES][COLUMN_LONGEST + 1]; /* "": not given */
	enum trace_unit unit;                   /* of the time */
};
/* "time", "input", "output"; ends with NULL. */
extern const char *const trace_role_names[];

/* Reads the value of `columns`; `at` is its place for messages.  Input and
 * output are needed; without a time the trace has lengths alone.  Returns 0, or
 * -1 with *p filled in (EXIT_USAGE). */
int trace_columns_parse(struct trace_columns *c, const char *text,
			const char *at, struct problem *p);
/* The same beside the key `format`: a format that names its columns itself is
 * refused. */
int trace_columns_beside(struct trace_columns *c, const char *text,
			 const char *at, const char *format, struct problem *p);
/* Writes it as trace_columns_parse() reads it, without roles that are not
 * given.  Returns buf. */
const char *trace_columns_write(const struct trace_columns *c,
				char buf[TRACE_COLUMNS_TEXT]);
/* Returns 1 if columns are given. */
int trace_columns_given(const struct trace_columns *c);
