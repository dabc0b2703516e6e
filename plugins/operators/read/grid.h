/* read/grid.h -- Points of one law as a grid of residuals. */
#ifndef OPERATORS_READ_GRID_H
#define OPERATORS_READ_GRID_H
#include "stepcost/kernel/mixer_grid.h"
#include "read/arena.h"

/* Builds the grid of n points of a row key, n > 0, settled by
 * sc_mixer_deduplicate(), in the arena. -1: the arena is full. */
int grid_build(struct arena *a, const struct sc_mixer_key *row_key,
	       const struct sc_mixer_law *law,
	       const struct sc_mixer_point *point, uint32_t n,
	       struct sc_mixer_grid *g);
#endif
