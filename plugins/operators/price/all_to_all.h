/* price/all_to_all.h -- The price of dispatch to experts, and of combine. */
#ifndef OPERATORS_PRICE_ALL_TO_ALL_H
#define OPERATORS_PRICE_ALL_TO_ALL_H
#include "price/comm.h"

/* kind: "dispatch", "combine"; mode: "normal", "low_latency"; key: ranks,
 * hidden, experts, topk. */
struct curve all_to_all_for(struct inst *s, const char *kind, const char *mode,
			    const double key[4]);
/* The same in a step of decodes alone, by the measured set of 8 ranks; what a
 * network adds is not in it. */
struct curve all_to_all_of_decodes(struct inst *s, const char *kind,
				   const double key[4]);
#endif
