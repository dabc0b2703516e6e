/* validate/score/errors.h -- errors of a validation, summed up. */
#pragma once
#include "base/names.h"
#include "validate/score/classes.h"
#include "validate/validation.h"

/* The errors in one metric; NaN: there were none. */
struct error_summary {
	size_t n;
	double mean, median, p90; /* of absolute errors                      */
	double bias;              /* mean of signed errors                   */
};

/* error[n], signed, is sorted by size. */
struct error_summary error_summary_of(double *error, size_t n);

enum row_choice {
	ROWS_COMMON,    /* that all arms price, unsaturated                  */
	ROWS_OWN,       /* that this arm prices, unsaturated                 */
	ROWS_SATURATED, /* that this arm prices, saturated                   */
};
struct error_summary validation_summary(const struct validation *v, size_t arm,
					enum run_latency metric,
					enum row_choice choice);

int validation_chosen(const struct validation *v, size_t row,
		      enum row_choice choice);

/* The same of a statistic, over the rows with the value `group`; g NULL: all.
 */
struct error_summary validation_summary_of(const struct validation *v,
					   size_t arm, enum run_latency metric,
					   enum statistic statistic,
					   enum row_choice choice,
					   const struct grouping *g,
					   const char *group);
/* Summarises the errors of the throughput of offline runs.  Positive: the
 * prediction is faster. */
struct error_summary validation_throughput(const struct validation *v,
					   size_t arm, const struct grouping *g,
					   const char *group);
/* Summarises the errors of rows with separate prefill and decode pools,
 * saturated or not: those of a latency's means; or, with metric
 * APART_THROUGHPUT, of the implied throughput, where positive is faster. */
enum { APART_THROUGHPUT = N_RUN_LATENCIES };
struct error_summary validation_apart(const struct validation *v, size_t arm,
				      int metric, const struct grouping *g,
				      const char *group);
/* What the rows of an arm have there, in the order of the file; the caller
 * frees it.  Nothing, if none tells anything. */
struct names grouping_values(const struct validation *v, size_t arm,
			     const struct grouping *g);
