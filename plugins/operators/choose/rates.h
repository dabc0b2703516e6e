/* choose/rates.h -- The rates of GPUs: whether two are alike, how far apart
 * they are, and a law at given rates. */
#ifndef OPERATORS_CHOOSE_RATES_H
#define OPERATORS_CHOOSE_RATES_H
#include "stepcost/kernel/operator_rows.h"
#include "policy/policy.h"

/* The same GPU, as far as both know. */
int rates_equal(const struct numbers *n, const struct sc_rates *a,
		const struct sc_rates *b);
/* How far another GPU is: another generation is farthest. */
double rates_distance(const struct numbers *n, const struct sc_rates *a,
		      const struct sc_rates *b);
/* The law of an op and a dtype at these rates; `like` fills what they lack. */
struct sc_oplaw law_at(const struct sc_rates *r, const struct sc_rates *like,
		       const struct sc_op_key *row_key);
#endif
