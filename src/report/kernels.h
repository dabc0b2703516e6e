/* report/kernels.h -- writes priced kernels, one row per kernel and arm, as
 * text, CSV or a JSON array, with the range in which 90 % of the measurements
 * would be where the errors of the cost model are known. */
#pragma once
#include <stdio.h>
#include "cost/floor.h"
#include "cost/kernels.h"
#include "trust/kernel_errors.h"

/* The answers of one arm. */
struct kernel_prices {
	const char *arm;
	const sc_kernel_result *result; /* [n] */
	const struct floor_mark *floor; /* [n] */
	/* of the cost model; NULL: not known */
	const struct kernel_errors *errors;
	size_t n; /* of the kernels, from the first one on */
};
void kernels_text(const struct kernels *k, const struct kernel_prices *arm,
		  size_t n_arms, FILE *f);
void kernels_csv(const struct kernels *k, const struct kernel_prices *arm,
		 size_t n_arms, FILE *f);
void kernels_json(const struct kernels *k, const struct kernel_prices *arm,
		  size_t n_arms, FILE *f);
