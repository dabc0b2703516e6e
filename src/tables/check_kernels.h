/* tables/check_kernels.h -- finds points that were measured several times, with
 * different kernels or routings.  They are no duplicates, and they must not be
 * mixed.  Also finds shapes that were measured with one kernel, while others
 * were measured with another one. */
#pragma once
#include "tables/checked_table.h"

/* Returns 0, or -1 with *p filled in. */
int tables_check_kernels(const struct checked_table *c, struct problem *p);
