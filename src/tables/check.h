/* tables/check.h -- what is suspicious about a measured table: an MFU column
 * and the peak it was taken from, zeros that are rounding, holes in the grid,
 * warm-up, times that fall as work grows, rows given twice, mixed formats.
 * FLOPs are those of cost/kernel_op.h. */
#ifndef SC_TABLES_CHECK_H
#define SC_TABLES_CHECK_H
#include <stdint.h>
#include "base/problem.h"

struct finding {
	const char *file;
	uint64_t line;    /* 0: of the whole file */
	const char *kind; /* "mfu_peak", "mfu_above_1", "zero_mfu", "hole",
			     "warm_up", "non_monotone", "duplicate",
			     "mixed_dtype" */
	int is_error;     /* 0: worth knowing */
	const char *text;
};
typedef void (*finding_fn)(void *user, const struct finding *f);

/* Looks at one file.  What it holds is told by its columns; a shape that they
 * lack by its name ("32-8-128-tp1").  gemm_peak, attention_peak: TFLOP/s that
 * the MANIFEST says, NaN: it does not.  0, or -1 with *p (EXIT_INPUT). */
int tables_check_file(const char *path, double gemm_peak, double attention_peak,
		      finding_fn tell, void *user, struct problem *p);
#endif
