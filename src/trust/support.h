/* trust/support.h -- how far a prediction can be trusted: the known errors of
 * its cost model for similar runs.  Plain data; no printing. */
#pragma once
#include <stdint.h>
#include <stdio.h>
#include "trust/scored.h"

enum support_verdict {
	SUPPORT_NOT_SCORED, /* there are no scored errors */
	/* detail: the properties in which no scored row is similar */
	SUPPORT_EXTRAPOLATED,
	SUPPORT_MEASURED,    /* scored rows are similar in everything */
	SUPPORT_KNOWN_WRONG, /* the same, and their errors are large */
};
extern const char *const support_name[];

struct support {
	enum support_verdict verdict;
	uint32_t n; /* number of scored rows behind the verdict */
	/* mean of their absolute errors, 0.04 for 4 %; NaN: none */
	double error;
	int model_is_new;  /* 1: errors with the model left out */
	uint32_t n_unlike; /* properties that detail names */
	char detail[800];  /* "", or more details */
};

/* A row is similar to the place if GPU family, class, weight format, split,
 * engine, use of drafts, and class of computed share (below 25 %, up to 75 %,
 * above) are the same, and the place's context and load are within the range of
 * these rows, as are its parameters.  Its kernels are at most as many versions
 * from its engine as those of one of these rows.  unlike: keys that no scored
 * run had, "" if there are none (trust/mismatch.h).  Five rows make it
 * measured; three with a mean error above 15 % make it known wrong.  Errors are
 * those of mean E2E latency, or of mean TPOT if only that was measured;
 * saturated rows do not count. */
struct support support_of(const struct scored *s, const struct trust_place *at,
			  const char *unlike);
/* The same for the errors of one metric alone, "gpu_power_w". */
struct support support_of_metric(const struct scored *s, const char *metric,
				 const struct trust_place *at,
				 const char *unlike);
/* Writes "measured: 12 rows, mean error 4.1 %", "not scored". */
void support_write(const struct support *s, FILE *f);
