/* oracle/batch.h -- the price of one batch that another scheduler made.
 * [one thread] */
#pragma once
#include "arm/arm.h"

/* Prices the step; an empty one takes no time, under any cost model.  *to is
 * valid until the next call.  Returns 0; 1 with *p filled in (EXIT_USAGE) if
 * the cost model does not know such steps; -1 with *p if it failed. */
int batch_price(struct arm *a, const sc_step *step, const sc_result **to,
		struct problem *p);
