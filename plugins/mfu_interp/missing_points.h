/* missing_points.h -- Fills points that a table of attention leaves out between
 * measured ones. */
#ifndef MFU_INTERP_MISSING_POINTS_H
#define MFU_INTERP_MISSING_POINTS_H
#include "stepcost/mfu/table.h"

/* Between two measured points of one batch the time grows in proportion with
 * the FLOPs, which grow with the length to this power; then the same between
 * batches.  A point without measured ones on both sides stays out.  Tables
 * without holes stay as they are. */
void missing_points_fill(struct sc_mfu_table *t, double power);
#endif
