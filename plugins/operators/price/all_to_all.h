/* price/all_to_all.h -- The price of dispatch to experts, and of combine. */
#ifndef OPERATORS_PRICE_ALL_TO_ALL_H
#define OPERATORS_PRICE_ALL_TO_ALL_H
#include "price/comm.h"

struct all_to_all {
	const char *kind, *mode; /* "dispatch", "combine"; "normal",
				    "low_latency" */
	double key[4];           /* ranks, hidden, experts, topk */
	double sms; /* that it occupies; 0: the fastest number of them */
};
/* Rows of other numbers of SMs answer if there are none of these. */
struct curve all_to_all_for(struct inst *s, const struct all_to_all *e);
/* The same in a step of decodes alone, by the measured set of 8 ranks; what a
 * network adds is not in it. */
struct curve all_to_all_of_decodes(struct inst *s, const char *kind,
				   const double key[4]);
#endif
