/* tables/operator_fit.h -- fits the constants of the laws of
 * stepcost/kernel/operator_law.h to the tables of a set, for its MANIFEST.
 * tables/law_fit.h says what a fit minimises. */
#pragma once
#include "base/problem.h"
#include "stepcost/kernel/operator_rows.h"

struct operator_fit {
	struct sc_op_key row_key;
	struct sc_oplaw law;
	uint64_t n_points;
	double loss;       /* the minimum */
	double mean_error; /* mean of |law / measured - 1| */
};
struct operator_fits {
	struct operator_fit *item;
	size_t n;
};

/* Fits every law for which the set's n tables have at least three points per
 * constant, in the order of sc_oplaw_kinds.  Rates come from the MANIFEST:
 * memory_bandwidth_tbs, peak_tflops_FORMAT, at least that of bf16.  Returns -1
 * with *p filled in if a rate is missing.  The caller calls
 * operator_fits_free() in either case. */
int operator_fit_set(struct operator_fits *fits, const sc_table *const *table,
		     uint32_t n, struct problem *p);
void operator_fits_free(struct operator_fits *fits);
