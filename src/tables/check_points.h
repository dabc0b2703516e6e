/* tables/check_points.h -- finds what a table lacks or has wrong beside its
 * neighbours: kernels of a layer that were not measured, points far from both
 * of their neighbours or three times slower than the next larger one, and times
 * that grow faster than the work. */
#pragma once
#include "tables/checked_table.h"

/* Returns 0, or -1 with *p filled in. */
int tables_check_points(const struct checked_table *c, struct problem *p);
