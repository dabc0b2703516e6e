/* tables/check_grid.h -- finds suspicious points of a table: rows given twice,
 * missing points of the grid, warm-up, times that fall as work grows. */
#pragma once
#include "tables/checked_table.h"

/* Returns 0, or -1 if memory is out. */
int tables_check_grid(const struct checked_table *c, struct problem *p);
