/* tables/downsample.h -- leaves points out of a table, and tells what that
 * costs.
 *
 * Rows of one shape that differ along the last axis alone are a line.  Its ends
 * stay.  Between them a point may go if its time is near the straight line, in
 * logarithms of axis and time, between the points that stay (Ramer, Douglas,
 * Peucker).  The tolerance is the smallest that keeps no more than the share
 * that is asked for.  Plain data; no printing. */
#pragma once
#include "tables/checked_table.h"

struct downsampled {
	uint64_t n, kept;
	/* Of the points that are left out: how far their time is from the line
	 * between those that stay, 0.04 for 4 %.  0: none is left out. */
	double mean, worst;
	uint64_t worst_line; /* of the file */
};
/* share: in (0, 1]; more is kept if the ends of lines are more.  is_kept[rows]
 * is filled in.  Returns 0, or -1 if memory is out. */
int downsample_table(const struct checked_table *c, double share, char *is_kept,
		     struct downsampled *out);
/* Writes the rows that are kept as CSV, a line a point. */
void downsample_write(const struct checked_table *c, const char *is_kept,
		      FILE *f);
