/* validate/measured/cells.h -- texts of rules with a row's cells in them.
 *
 * "{decode_max_batch * decode_tp}" stands for the value of that formula
 * (math/expression.h) over the columns of the row; "{kv_cache_dtype}" for a
 * cell of text.  A text may have several, and none within another. */
#pragma once
#include "base/problem.h"
#include "validate/measured/measured.h"

/* 0, or -1 with *p (EXIT_USAGE): a formula that cannot be read, or a name that
 * no column has.  at: the text's place. */
int cells_check(const char *text, const char *at, struct problem *p);
/* Writes the text with its formulas worked out.  Returns 0 if a cell that it
 * names is empty, or a formula has no value; else 1. */
int cells_fill(const char *text, const struct measured_row *r, char *out,
	       size_t size);
