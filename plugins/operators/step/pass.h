/* pass.h -- The price of one pass through the model: a step, or a micro-batch
 * of it.  *sum: its lookups and, if the caller wants them, its parts lie in the
 * caller's memory, whatever is there before. */
#ifndef OPERATORS_PASS_H
#define OPERATORS_PASS_H
#include "step/assignment.h"
#include "step/price.h"

struct inst;

/* A step that is not divided; shared: its shared_price().  Of the parts its own
 * alone: attention and the host. */
void pass_price(const struct inst *s, const sc_step *st, const struct batch *b,
		const struct price *shared, struct price *sum);
/* Micro-batches follow each other through the stages: a pass of all takes what
 * one takes on average, of those that are busy.  All parts. */
void pass_price_each(const struct inst *s, const sc_step *st,
		     const struct batch *b, int32_t passes, double busy,
		     struct price *sum);
#endif
