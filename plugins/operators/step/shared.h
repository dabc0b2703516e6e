/* shared.h -- What steps of as many tokens share, whatever their contexts: all
 * except attention and the host. */
#ifndef OPERATORS_SHARED_H
#define OPERATORS_SHARED_H
#include "step/assignment.h"
#include "step/memo.h"

struct inst;

/* The price of a batch without its own part, in the memory of the last ones:
 * until shared_is() says no. */
const struct memo_slot *shared_price(const struct inst *s,
				     const struct batch *b);
int shared_is(const struct memo_slot *slot, const struct batch *b);
#endif
