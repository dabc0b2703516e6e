/* store/schema.h -- the tables of a store: study, point, result, log, and a
 * view of results with the axes of their points.  [any thread] */
#pragma once
#include <stddef.h>
#include <stdio.h>
#include "store/columns.h"

enum { STORE_APPLICATION = 0x73746370 }; /* "stcp", in the file's header */

/* Returns the statements that create the tables for points of these axes, which
 * the caller frees; NULL: out of memory. */
char *schema_statements(enum store_mode mode, const char *const *axis,
			size_t n_axes);
/* Writes a text in double quotes, as SQL writes a name. */
void schema_quote(FILE *f, const char *name);
