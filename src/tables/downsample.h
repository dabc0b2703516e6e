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
	/* The mean and the largest distance of points that are left out from
	 * the line between their kept neighbours, in time: 0.04 is 4 %.  0:
	 * none is left out. */
	double mean, worst;
	uint64_t worst_line; /* of the file */
};
/* Chooses the rows to keep, at most `share` of them, in (0, 1]; the ends of
 * lines are kept in any case, even if they alone are more.  Fills in
 * is_kept[rows] and *out.  Returns 0, or -1 if memory is out. */
int downsample_table(const struct checked_table *c, double share, char *is_kept,
		     struct downsampled *out);
/* Writes the rows that are kept as CSV, a line a point. */
void downsample_write(const struct checked_table *c, const char *is_kept,
		      FILE *f);
