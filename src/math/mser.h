/* math/mser.h -- where the initial transient of a series ends: MSER-5 (White,
 * An effective truncation heuristic for bias reduction in simulation output,
 * 1997; batches of 5: White, Cobb, Spratt, 2000).  [any thread] */
#pragma once
#include <stddef.h>

enum { MSER_BATCH = 5 };

/* Of the m means of 5 samples each (an incomplete last one is dropped) the
 * first d are cut that minimize sum((z - mean)^2) / (m - d)^2 over the rest, d
 * from 0 to m/2; of equal ones the smallest.  Returns 5 d.  *steady: 0 if d is
 * m/2, so that the series may be too short. */
size_t mser_cut(const double *x, size_t n, int *steady);
