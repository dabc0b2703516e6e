/* report/kernel_plot.h -- priced kernels as a figure: each arm's latency over
 * the column that varies most among the points.  Marks on the curve show the
 * points that a table measured.  Plateaus and jumps of a lookup show at a
 * glance. */
#pragma once
#include "base/problem.h"
#include "draw/plot.h"
#include "report/kernels.h"

/* Draws all points; they should differ in one column.  Returns 0, or -1 with *p
 * filled in. */
int kernel_plot(const struct kernels *points, const struct kernel_prices *curve,
		size_t n_curves, struct plot *to, struct problem *p);
