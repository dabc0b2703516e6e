/* tables/operator_fit.h -- the constants of the laws of
 * stepcost/operator_law.h, fitted to a set's tables, for its MANIFEST.
 *
 * What is minimal: the mean Huber loss (0.15) of log(law / measured), plus 1e-4
 * of the squared distance of the constants from where they start, each taken as
 * its logarithm, a share as its logit.  Several starts: constants are flat, and
 * the loss has more than one valley. */
#ifndef SC_TABLES_OPERATOR_FIT_H
#define SC_TABLES_OPERATOR_FIT_H
#include "base/problem.h"
#include "stepcost/operator_rows.h"

struct operator_fit {
	struct sc_op_pick pick;
	struct sc_oplaw law;
	uint64_t n_points;
	double loss;       /* what is minimal */
	double mean_error; /* of |law / measured - 1| */
};
struct operator_fits {
	struct operator_fit *item;
	size_t n;
};

/* Every law that the set's n tables have at least three points a constant for,
 * in the order of sc_oplaw_kinds.  Rates come from the MANIFEST:
 * memory_bandwidth_tbs, peak_tflops_FORMAT, at least that of bf16.
 * operator_fits_free() in either case; -1 with *p: a rate is missing. */
int operator_fit_set(struct operator_fits *fits, const sc_table *const *table,
		     uint32_t n, struct problem *p);
void operator_fits_free(struct operator_fits *fits);
#endif
