/* trust/support.h -- how far a prediction can be trusted: what is known of the
 * errors of its cost model at the place that was asked for.  Plain data; no
 * printing. */
#ifndef SC_TRUST_SUPPORT_H
#define SC_TRUST_SUPPORT_H
#include <stdint.h>
#include <stdio.h>
#include "trust/scored.h"

enum support_verdict {
	SUPPORT_NOT_SCORED,   /* there are no scored errors                  */
	SUPPORT_EXTRAPOLATED, /* detail: in what no scored row is like it    */
	SUPPORT_MEASURED,     /* scored rows agree with it in everything     */
	SUPPORT_KNOWN_WRONG,  /* so they do, and their errors are large      */
};
extern const char *const support_name[];

struct support {
	enum support_verdict verdict;
	uint32_t n;   /* scored rows that it rests on                        */
	double error; /* mean of their absolute errors, 0.04: 4 %; NaN: none */
	int model_is_new; /* errors are those of models left out             */
	char detail[400]; /* "" or more of it                                */
};

/* A row is like the place if GPU family, class, weight format, split, engine,
 * whether there are drafts, and class of computed share (below 25 %, up to 75
 * %, above) are the same, and the place's context and load lie within those of
 * such rows.  Five rows make it measured, three whose mean error is above 15 %
 * known wrong.  Errors are those of mean E2E latency, of mean TPOT where only
 * that was measured; saturated rows do not count. */
struct support support_of(const struct scored *s, const struct trust_place *at);
/* "measured: 12 rows, mean error 4.1 %", "not scored". */
void support_write(const struct support *s, FILE *f);
#endif
