/* report/steps.h -- writes priced steps, one row per step and arm, as text, CSV
 * or a JSON document. */
#pragma once
#include <stdio.h>
#include "cost/floor.h"
#include "cost/work.h"
#include "stepcost/plugin.h"

/* The answers of one arm. */
struct step_prices {
	const char *arm, *plugin;
	/* the reason why steps have no result; NULL: all have one */
	const char *error;
	/* [n] of each step; NULL: it has none */
	const sc_result **result;
	const struct floor_mark **floor;
	const struct work **work;
};
/* name: [n] of the steps. */
struct priced_steps {
	const char *const *name;
	size_t n;
	const struct step_prices *arm; /* [n_arms] */
	size_t n_arms;
};
void steps_text(const struct priced_steps *s, FILE *f);
void steps_csv(const struct priced_steps *s, FILE *f);
void steps_json(const struct priced_steps *s, FILE *f);
