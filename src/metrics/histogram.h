/* metrics/histogram.h -- a histogram as a server reports it: how many values
 * lay in each bucket, and the sum of all.  So the mean is exact, and a
 * percentile lies between the edges of a bucket.  [any thread]; no printing. */
#pragma once
#include <stdint.h>

/* Bucket i holds values in (edge[i - 1], edge[i]], bucket 0 those up to
 * edge[0].  The last edge is infinite. */
struct histogram {
	double *edge, *count; /* [n], owned; see histogram_finish() */
	uint32_t n, cap;
	double sum, total; /* of the values; how many                         */
	int has_sum;       /* the page has it                                 */
};

/* Adds `cumulative` to the number of values up to `edge`, in any order of
 * edges.  Returns 0, or -1 if memory is out. */
int histogram_add(struct histogram *h, double edge, double cumulative);
/* When all was added: sorts the buckets, and makes of each number up to an edge
 * the number in its bucket.  Returns NULL, or what is wrong. */
const char *histogram_finish(struct histogram *h);
/* Takes away what an earlier report of the same server had.  Returns NULL, or
 * what is wrong. */
const char *histogram_subtract(struct histogram *h,
			       const struct histogram *before);
/* Takes away `n` values of 0 from the first bucket. */
void histogram_drop_zeros(struct histogram *h, double n);
/* Returns NaN without values. */
double histogram_mean(const struct histogram *h);
/* Between which values the percentile lies, q in [0, 1], as numpy has it
 * (linear between two values).  NaN without values. */
struct histogram_range {
	double low, high; /* high may be infinite */
};
struct histogram_range histogram_percentile(const struct histogram *h,
					    double q);
void histogram_free(struct histogram *h);
