/* tables/measured_kernels.h -- the rows of a set of tables as kernels that a
 * cost model can be asked for, with their measured times.  Columns that a cost
 * model is not told (which kernel was measured) are not part of the question:
 * rows that differ only there are the same question. */
#pragma once
#include "cost/kernels.h"
#include "tables/table_set.h"

/* Where a kernel was measured, and its time. */
struct measured_kernel {
	const char *op;    /* in a list of kernels: "gemm" */
	const char *table; /* "gemm_more"; belongs to the set */
	uint64_t line;     /* of its file */
	double us;
};
struct measured_kernels {
	struct kernels kernels;
	struct measured_kernel *of; /* [kernels.n] */
	size_t n_left_out;          /* rows that no cost model is asked for */
};

/* The set must outlive the result.  Returns 0, or -1 with *p filled in:
 * EXIT_INPUT if no row can be asked for.  The caller calls
 * measured_kernels_free() in either case. */
int measured_kernels_of(struct measured_kernels *to,
			const struct table_set *set, struct problem *p);
void measured_kernels_free(struct measured_kernels *k);
