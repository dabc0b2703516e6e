/* tables/fit.h -- fits the constants of a reference law
 * (stepcost/kernel/kernel_law.h) to one measured table, for the MANIFEST of its
 * set. */
#pragma once
#include "base/problem.h"
#include "stepcost/kernel/kernel_law.h"
#include "stepcost/plugin.h"

struct kernel_fit {
	uint32_t format; /* SC_BF16 … */
	struct sc_law law;
	uint64_t n_points;
	double mean_error; /* mean of |law / measured - 1| */
};

/* Fits each number format of a table that has at least three points per
 * constant; other formats are left out.  Peak rates come from the MANIFEST:
 * peak_tflops_FORMAT, memory_bandwidth_tbs, link_bandwidth_gbs.  Fills in
 * fit[n], n <= SC_N_FORMATS.  Returns n, or -1 with *p filled in: a column or a
 * rate is missing. */
int kernel_fit_table(const sc_table *t, struct kernel_fit fit[SC_N_FORMATS],
		     struct problem *p);
