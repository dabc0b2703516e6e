/* engine/units.h -- an engine's replicas as a number of equal units, and the
 * same engine with another number of them.
 *
 * A unit is a replica, its data-parallel ranks included; with prefill and
 * decode apart it is what both pools have in lowest terms: 4 + 2 replicas are
 * two units of 2 + 1.  [any thread]; no allocation. */
#pragma once
#include <stdint.h>
#include "engine/engine.h"

/* Returns how many units the engine has; with an autoscaler, at most. */
uint32_t engine_units(const struct engine *e);
/* Makes *to the engine with n > 0 units; it borrows what e borrows.  Failures
 * of replicas that it does not have are left out.  Of an autoscaler n is
 * max_replicas, and min_replicas is at most n. */
void engine_with_units(struct engine *to, const struct engine *e, uint32_t n);
static inline int engine_is_autoscaled(const struct engine *e)
{
	return e->fleet.metric != FLEET_METRIC_NONE;
}
