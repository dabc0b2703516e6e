/* tables/mixer_fit.h -- fits the constants of the laws of
 * stepcost/kernel/mixer_law.h to the tables of a set, for its MANIFEST.
 * tables/law_fit.h says what a fit minimises. */
#pragma once
#include "base/problem.h"
#include "stepcost/kernel/mixer_rows.h"

struct mixer_fit {
	struct sc_mixer_key row_key; /* its words are the table's */
	struct sc_mixer_law law;
	uint64_t n_points;
	double loss;       /* the minimum */
	double mean_error; /* mean of |law / measured - 1| */
};
struct mixer_fits {
	struct mixer_fit *item;
	size_t n;
};

/* Fits every law for which the set's n tables have at least three points per
 * constant, in the order of their rows.  Rates come from the MANIFEST, as
 * operator_fit_set() reads them.  Returns -1 with *p filled in.  The caller
 * calls mixer_fits_free() in either case. */
int mixer_fit_set(struct mixer_fits *fits, const sc_table *const *table,
		  uint32_t n, struct problem *p);
void mixer_fits_free(struct mixer_fits *fits);
