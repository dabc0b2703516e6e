/* math/mser.h -- where the initial transient of a series ends: MSER-5 (White,
 * An effective truncation heuristic for bias reduction in simulation output,
 * 1997; batches of 5: White, Cobb, Spratt, 2000).  [any thread] */
#pragma once
#include <stddef.h>

enum { MSER_BATCH = 5 };

/* Finds where a series becomes steady (MSER-5).  The samples become m means of
 * 5 each; an incomplete last one is dropped.  Cuts the first d means, d from 0
 * to m/2, that minimize sum((z - mean)^2) / (m - d)^2 over the rest; the
 * smallest such d.  Returns the samples that are cut, 5 d.  *steady is 0 if d
 * is m/2: the series may be too short. */
size_t mser_cut(const double *x, size_t n, int *steady);
