/* validate/measured/lengths.h -- lengths of requests of a workload with runs
 * that were published without them: a data set's, as CSV with the columns
 * workload (the name in the file of runs), input_tokens and output_tokens, a
 * line a sample.
 */
#pragma once
#include "base/problem.h"
#include "validate/measured/measured.h"

/* Zeroed: none. */
struct length_samples {
	struct length_sample {
		char *workload;
		struct measured_length is;
	} * sample; /* [n] */
	size_t n;
};

/* 0, or -1 with *p; lengths_free() in either case. */
int lengths_read(struct length_samples *l, const char *path, struct problem *p);
/* Rows without input_tokens or output_tokens get the samples of their workload,
 * and their means.  0, or -1: out of memory. */
int lengths_fill(const struct length_samples *l, struct measured *m);
void lengths_free(struct length_samples *l);
