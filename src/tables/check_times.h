/* tables/check_times.h -- finds times that the kernel alone does not explain: a
 * floor set by the host, a clock that is too coarse, weights that were in the
 * cache. */
#pragma once
#include "tables/checked_table.h"

/* bandwidth_tbs: of the GPU's memory; NaN: not known.  Returns 0, or -1 with *p
 * filled in. */
int tables_check_times(const struct checked_table *c, double bandwidth_tbs,
		       struct problem *p);
