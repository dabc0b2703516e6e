/* missing_points.h -- Points that one shape of experts or latent attention
 * lacks and others have. */
#ifndef OPERATORS_MISSING_POINTS_H
#define OPERATORS_MISSING_POINTS_H
#include "read/row_groups.h"

/* A grid of such a row group, with the numbers of tokens, or in each row the
 * lengths, that most of the group's grids have: its own residual there,
 * interpolated or clamped, and bent as that of the nearest shapes is.  Without
 * such missing points it is the grid itself.  Found once. */
const struct sc_grid *missing_points_filled(struct inst *s,
					    const struct row_group *from,
					    const struct sc_grid *own);
#endif
