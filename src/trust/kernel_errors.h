/* trust/kernel_errors.h -- how far a cost model was from measured kernels that
 * it was not told of, by operator and by the label of its answer:
 * bench_data/accuracy/kernels.csv, which tools/kernel_errors.py makes.  A row
 * has the factors on a prediction between which 90 % of the measurements were.
 * A measured kernel, SC_EXACT, has none: nothing was left out to score it.
 * Plain data; no printing. */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct kernel_error {
	char op[24]; /* in a list of kernels: "gemm" */
	uint32_t provenance;
	uint64_t n;       /* measurements behind it */
	double low, high; /* factors on the prediction */
};
enum { KERNEL_ERRORS = 128 };
struct kernel_errors {
	struct kernel_error item[KERNEL_ERRORS];
	size_t n;
};

/* Reads the shipped or installed file; keeps the rows of the plugin.  No file,
 * one that cannot be read, or one of another version: there are no rows. */
void kernel_errors_find(struct kernel_errors *e, const char *plugin,
			const char *version);
/* The same for a given file. */
void kernel_errors_read(struct kernel_errors *e, const char *path,
			const char *plugin, const char *version);
/* Returns NULL if there is none. */
const struct kernel_error *kernel_error_of(const struct kernel_errors *e,
					   const char *op, uint32_t provenance);
