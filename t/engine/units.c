/* Fleets as units, and other numbers of them. */
#include "engine/units.h"
#include "tap.h"

int main(void)
{
	struct engine to, decode = {.ranks = 1, .per_replica = 1};
	struct engine e = {.replicas = 3, .ranks = 1, .per_replica = 1};
	ok(engine_units(&e) == 3, "three replicas are three units");
	engine_with_units(&to, &e, 5);
	ok(to.replicas == 5 && engine_units(&to) == 5, "and can be five");
	e.replicas = 6;
	e.prefill_replicas = 4;
	ok(engine_units(&e) == 2, "4 + 2 are two units of 2 + 1");
	engine_with_units(&to, &e, 1);
	ok(to.prefill_replicas == 2 && to.replicas == 3, "one is 2 + 1");
	e.decode = &decode;
	decode.per_replica = 2;
	e.replicas = 8;
	ok(engine_units(&e) == 2, "each pool has ranks of its own");
	e = (struct engine){.replicas = 8, .ranks = 4, .per_replica = 4};
	ok(engine_units(&e) == 2, "ranks of data parallelism are one replica");
	e.fleet = (struct fleet_rules){.metric = 1, .max = 16, .min = 8};
	ok(engine_units(&e) == 4, "an autoscaler has its most replicas");
	engine_with_units(&to, &e, 1);
	ok(to.fleet.max == 4 && to.fleet.min == 4 && to.replicas == 8,
	   "its least are no more than its most");
	e.fleet = (struct fleet_rules){
	    .dies = 1, .start = 8, .n_deaths = 2, .death = {{0, 1}, {5, 7}}};
	engine_with_units(&to, &e, 1);
	ok(to.fleet.start == 4 && to.fleet.n_deaths == 1 &&
	       to.fleet.death[0].replica == 1,
	   "replicas that are not there do not die");
	return done();
}
