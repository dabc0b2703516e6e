/* report/kernel_against.h -- writes the predictions for the measured kernels of
 * a set beside the measurements: errors by operator and the worst rows as text
 * and JSON, every row as CSV. */
#pragma once
#include <stdio.h>
#include "tables/measured_kernels.h"

struct against_price {
	double us; /* predicted; NaN: the arm does not price this kernel */
	uint32_t provenance;
};
struct against_arm {
	const char *name;
	const struct against_price *price; /* [kernels] */
};
struct kernel_against {
	const char *set;
	const struct measured_kernels *measured;
	const struct against_arm *arm; /* [n_arms] */
	size_t n_arms;
};
void kernel_against_text(const struct kernel_against *k, FILE *f);
void kernel_against_csv(const struct kernel_against *k, FILE *f);
void kernel_against_json(const struct kernel_against *k, FILE *f);
