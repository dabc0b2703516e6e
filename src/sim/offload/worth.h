/* sim/offload/worth.h -- whether loads of KV from the host were worth it: what
 * the cost model says that computing the same tokens would have taken, each
 * load as a step of its own.  [one thread] */
#pragma once
#include "cost/cost.h"
#include "engine/engine.h"
#include "sim/offload/offload.h"
#include "sim/outcome.h"

/* Adds the first loads of one replica (OFFLOAD_PRICED of them, at most) to
 * *to; none at all if the cost model refuses one of these steps.  The run must
 * be over, because answers of the cost model are valid until its next call. */
void offload_worth(struct offload_worth *to, const struct offload *o,
		   struct cost *c, const struct engine *e);
