/* tables/row_groups.h -- groups the rows of a checked table by their strings:
 * one group for each number format, kernel, routing … that was measured. */
#pragma once
#include "tables/checked_table.h"

struct row_groups {
	uint32_t *of;    /* [rows] group of each row */
	uint64_t *first; /* [n] one row of each group */
	uint32_t n;
};
/* Returns 0, or -1 if memory is out.  The caller calls row_groups_free() in
 * either case. */
int row_groups_make(struct row_groups *g, const struct checked_table *c);
void row_groups_free(struct row_groups *g);

/* Writes "fp8 FLASHMLA: ", for messages; "" if rows have no words.  Returns
 * buf. */
#define ROW_WORDS 120
const char *row_text(const struct checked_table *c, uint64_t row,
		     char buf[ROW_WORDS]);
