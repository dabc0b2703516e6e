/* tables/check_kernels.h -- one point measured several times, with different
 * kernels or different routings: no duplicates, and not to be mixed. */
#ifndef SC_TABLES_CHECK_KERNELS_H
#define SC_TABLES_CHECK_KERNELS_H
#include "tables/checked_table.h"

/* 0, or -1 with *p. */
int tables_check_kernels(const struct checked_table *c, struct problem *p);
#endif
