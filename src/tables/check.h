/* tables/check.h -- finds suspicious things in a measured table: the peak
 * behind an MFU column, zeros from rounding, missing points of the grid,
 * warm-up, times that fall as work grows, rows given twice, mixed formats,
 * times of the host, kernels that were not tuned. */
#pragma once
#include "base/ini.h"
#include "tables/check_other_sets.h"
#include "tables/checked_table.h"

/* The place of a file; zeroed: it belongs to no set. */
struct check_place {
	const struct table_file *of;
	const struct ini *manifest;
	const struct other_sets *other_sets;
};
/* Checks one file.  Returns 0, or -1 with *p filled in (EXIT_USAGE: no such
 * file; EXIT_INPUT). */
int tables_check_file(const char *path, const struct check_place *in,
		      finding_fn tell, void *user, struct problem *p);
