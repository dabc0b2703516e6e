/* report/kernel_plot.h -- priced kernels as a figure: each arm's latency over
 * what varies most among the points, what a table measured marked on the curve.
 * Plateaus and jumps of a lookup show at a glance. */
#ifndef SC_REPORT_KERNEL_PLOT_H
#define SC_REPORT_KERNEL_PLOT_H
#include "base/problem.h"
#include "draw/gnuplot.h"
#include "report/kernels.h"

/* Of all points, which should differ in one column.  0, or -1 with *p. */
int kernel_plot(const struct kernels *points, const struct kernel_prices *curve,
		size_t n_curves, struct gnuplot *to, struct problem *p);
#endif
