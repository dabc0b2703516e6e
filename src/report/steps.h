/* report/steps.h -- writes priced steps, one row per step and arm, as text, CSV
 * or a JSON document. */
#ifndef SC_REPORT_STEPS_H
#define SC_REPORT_STEPS_H
#include <stdio.h>
#include "cost/floor.h"
#include "cost/steps.h"

/* The answers of one arm. */
struct step_prices {
	const char *arm, *plugin;
	/* the reason why there is no result; NULL: there is one */
	const char *error;
	const sc_result *result;        /* [steps.n] */
	const struct floor_mark *floor; /* [steps.n] */
};
void steps_text(const struct steps *s, const struct step_prices *arm,
		size_t n_arms, FILE *f);
void steps_csv(const struct steps *s, const struct step_prices *arm,
	       size_t n_arms, FILE *f);
void steps_json(const struct steps *s, const struct step_prices *arm,
		size_t n_arms, FILE *f);
#endif
