/* validate_report.h -- what a validation found: a leaderboard and error tables
 * to read, a line per row and arm, a document, a scatter plot. */
#ifndef SC_SRC_VALIDATE_REPORT_H
#define SC_SRC_VALIDATE_REPORT_H
#include <stdio.h>
#include "base/json_writer.h"
#include "validate/validation.h"

/* Of errors in one metric; NaN: there were none. */
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
					enum measured_metric metric,
					enum row_choice choice);

void validation_text(const struct validation *v, FILE *f);
void validation_csv(const struct validation *v, FILE *f);
/* Members of the open object. */
void validation_json(const struct validation *v, struct jw *j);
/* A page with predicted over measured times. */
void validation_html(const struct validation *v, FILE *f);
#endif
