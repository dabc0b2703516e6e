/* units.c -- Counts the units of a fleet, and changes their number. */
#include "engine/units.h"
#include "base/whole.h"

uint32_t engine_units(const struct engine *e)
{
	if (engine_is_autoscaled(e))
		return (uint32_t)e->fleet.max / e->per_replica;
	if (!e->prefill_replicas)
		return e->replicas / e->per_replica;
	return whole_divisor(e->prefill_replicas / e->per_replica,
			     (e->replicas - e->prefill_replicas) /
				 engine_of_pool(e, 1)->per_replica);
}

/* Replicas that end their last requests are there beside the new ones, as
 * fleet_most_replicas() says. */
static void scale_up_to(struct engine *to, uint32_t n)
{
	struct fleet_rules *f = &to->fleet;
	f->max = n;
	if (f->min > n)
		f->min = n;
	if (f->start > n)
		f->start = n;
	to->replicas = 2 * n;
}

static void leave_deaths_out(struct fleet_rules *f)
{
	uint64_t n = 0;
	for (uint64_t i = 0; i < f->n_deaths; i++)
		if (f->death[i].replica < f->start)
			f->death[n++] = f->death[i];
	f->n_deaths = n;
}

void engine_with_units(struct engine *to, const struct engine *e, uint32_t n)
{
	uint32_t units = engine_units(e);
	*to = *e;
	if (n == units)
		return;
	if (engine_is_autoscaled(e)) {
		scale_up_to(to, n * e->per_replica);
		return;
	}
	to->replicas = e->replicas / units * n;
	to->prefill_replicas = e->prefill_replicas / units * n;
	if (fleet_changes(&e->fleet)) {
		to->fleet.start = to->replicas;
		leave_deaths_out(&to->fleet);
	}
}
