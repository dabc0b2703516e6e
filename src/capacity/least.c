/* least.c -- Finds the least fleet that carries a rate. */
#include <math.h>
#include <stdlib.h>
#include "capacity/stages.h"

/* Fleets between the least that may carry the rate and the least that does. */
enum { MOST_UNDECIDED = 4, MOST_UNITS = 4096 };

static uint32_t most_units(const struct searching *g)
{
	return g->task.most_units && g->task.most_units < MOST_UNITS
		   ? g->task.most_units
		   : MOST_UNITS;
}

/* Returns 1 if the fleet carries the rate, 0 if not or undecided, -1 with
 * *g->p. */
static int try_units(struct searching *g, uint32_t units, uint64_t least)
{
	struct capacity_test t;
	return carries(g, units, least, &t) < 0 ? -1 : t.verdict == CARRIES_YES;
}

/* Finds neighbours: *low does not carry the rate for certain, *high does; high
 * above most_units(): none does. */
static int find_neighbours(struct searching *g, uint32_t first, uint32_t *low,
			   uint32_t *high)
{
	uint32_t most = most_units(g), n = first < most ? first : most;
	*low = 0;
	*high = most + 1;
	while (*high - *low > 1) {
		int is = try_units(g, n, 0);
		if (is < 0)
			return -1;
		if (is)
			*high = n;
		else
			*low = n;
		if (*high > most && n == most)
			return 0;
		uint32_t up = (uint32_t)ceil(1.3 * *low);
		if (*high > most)
			n = up > *low + 1 ? up : *low + 1;
		else if (*low == 0)
			n = *high > 4 ? *high - *high / 4 : *high - 1;
		else
			n = *low + (*high - *low) / 2;
		n = n < most ? n : most;
		if (n == 0)
			return 0;
	}
	return 0;
}

/* Tests both neighbours with runs on which an answer may rest, and goes on from
 * there, one by one, if a verdict changes. */
static int decide_neighbours(struct searching *g, uint32_t *low, uint32_t *high)
{
	uint32_t most = most_units(g);
	int is = 0;
	while (*high <= most && !(is = try_units(g, *high, DECISIVE_LEAST)))
		*low = (*high)++;
	while (is >= 0 && *low > 0 &&
	       (is = try_units(g, *low, DECISIVE_LEAST)) == 1)
		*high = (*low)--;
	return is < 0 ? -1 : 0;
}

/* Goes down while fleets are undecided: the least of them may do. */
static int find_least_undecided(struct searching *g, uint32_t low,
				uint32_t *least)
{
	*least = low + 1;
	for (int i = 0; i < MOST_UNDECIDED && low > 0; i++, low--) {
		struct capacity_test t;
		if (carries(g, low, DECISIVE_LEAST, &t) < 0)
			return -1;
		if (t.verdict != CARRIES_UNDECIDED)
			break;
		*least = low;
	}
	return 0;
}

/* A larger fleet behind a router may find less in its caches. */
static int look_above(struct searching *g, uint32_t high)
{
	struct capacity_test t;
	if (!g->has_reuse || high >= most_units(g))
		return 0;
	if (carries(g, high + 1, 0, &t) < 0)
		return -1;
	g->s->answer.units_relapse = t.verdict == CARRIES_NO ? high + 1 : 0;
	return 0;
}

/* Returns 1 if the least fleet is asked behind another router, too.  With reuse
 * routers differ in their hits, and not in their queues alone. */
static int asks_router(const struct searching *g, uint32_t high)
{
	const struct engine *e = g->given;
	return high > 1 && !g->has_reuse && !e->prefill_replicas &&
	       !engine_is_autoscaled(e) && !g->task.is_pessimistic &&
	       !g->task.most_units;
}

/* Tests one unit less behind that router, in a search of its own. */
static int look_at_router(struct searching *g, uint32_t high,
			  enum routing routing)
{
	struct capacity *c = &g->s->answer;
	struct engine other = *g->given;
	struct searching h = *g;
	struct capacity_test t;
	other.routing = routing;
	h.given = &other;
	h.memory = NULL;
	h.memory_bytes = 0;
	h.s = calloc(1, sizeof *h.s);
	if (!h.s)
		return problem_no_memory(g->p);
	h.s->answer = *c;
	h.s->answer.n_tests = 0;
	int rc = carries(&h, high - 1, DECISIVE_LEAST, &t);
	c->simulations = h.s->answer.simulations;
	c->requests_simulated = h.s->answer.requests_simulated;
	if (rc == 0 && t.verdict == CARRIES_YES)
		c->other_router = 1 + (uint32_t)routing;
	free(h.memory);
	free(h.s);
	return rc;
}

/* The answer rests on the test of the fleet that carries the rate. */
static int conclude(struct searching *g, uint32_t units)
{
	struct capacity *c = &g->s->answer;
	struct capacity_test t;
	if (carries(g, units, DECISIVE_LEAST, &t) < 0)
		return -1;
	c->limited_by = t.worst;
	c->replications = t.replications;
	c->requests_per_replication = g->s->requests =
	    t.requests_per_replication;
	c->low = c->high = c->request_rate = NAN;
	c->verdict = t.verdict == CARRIES_YES  ? CAPACITY_FOUND
		     : t.verdict == CARRIES_NO ? CAPACITY_NONE
					       : CAPACITY_UNDECIDED;
	c->stopped_by = t.verdict != CARRIES_UNDECIDED       ? STOP_DECISION
			: t.replications < CARRIES_LAST_LOOK ? STOP_LIMIT
							     : STOP_RUNS;
	g->s->is_over = 1;
	return 0;
}

/* No number of units that may be used carries the rate. */
static int none(struct searching *g, uint32_t most)
{
	struct capacity_test t;
	if (carries(g, most, DECISIVE_LEAST, &t) < 0)
		return -1;
	g->s->answer.units_high = g->s->answer.units_low = most;
	if (t.verdict == CARRIES_YES) /* the longer test says so            */
		return conclude(g, most);
	stage_none(g,
		   t.grown == t.replications ? LIMITED_BY_SATURATION : t.worst);
	return 0;
}

/* Searches the least number of units that carries the rate.  It begins where
 * the throughput of one unit, per_unit_s, says. */
static int search(struct searching *g, double per_unit_s)
{
	struct capacity *c = &g->s->answer;
	uint32_t low, high;
	/* A trace at its own times does not come at once. */
	double first = g->rated.is_timed ? 1 : ceil(g->task.rate / per_unit_s);
	uint32_t n = first < 1            ? 1
		     : first < MOST_UNITS ? (uint32_t)first
					  : MOST_UNITS;
	if (g->task.first_units)
		n = g->task.first_units;
	if (find_neighbours(g, n, &low, &high) < 0 ||
	    decide_neighbours(g, &low, &high) < 0)
		return -1;
	if (high > most_units(g))
		return none(g, most_units(g));
	if (find_least_undecided(g, low, &c->units_low) < 0 ||
	    look_above(g, high) < 0)
		return -1;
	c->units_high = high;
	if (asks_router(g, high) &&
	    look_at_router(g, high,
			   g->given->routing == ROUTE_LEAST_OUTSTANDING
			       ? ROUTE_ROUND_ROBIN
			       : ROUTE_LEAST_OUTSTANDING) < 0)
		return -1;
	return conclude(g, high);
}

int least_fleet(struct searching *g)
{
	struct capacity *c = &g->s->answer;
	double per_s = g->rated.base;
	if (stage_lengths(g) < 0 || g->s->is_over)
		return g->s->is_over ? 0 : -1;
	if (stage_units(g, g->task.is_given ? c->units : 1) < 0 ||
	    (!g->rated.is_timed && stage_at_once(g, &per_s) < 0))
		return -1;
	if (!(per_s > 0) || !isfinite(per_s)) {
		stage_none(g, LIMITED_BY_REJECTION);
		return 0;
	}
	if (stage_unloaded(g, per_s) < 0 || g->s->is_over)
		return g->s->is_over ? 0 : -1;
	if (!g->task.is_given)
		return search(g, per_s);
	c->units_high = c->units_low = c->units;
	return conclude(g, c->units);
}
