/* search.c -- Leads a capacity search through its stages. */
#include "capacity/search.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "capacity/stages.h"

/* Returns 1 if a prompt may be found again in a cache. */
static int has_reuse(const struct capacity_task *t)
{
	const struct engine *e = t->engine;
	const struct workload_keys *k = t->workload;
	int has_cache =
	    e->prefix_caching || engine_of_pool(e, 1)->prefix_caching;
	return has_cache && (k->turns > 1 || k->prompts > 0 ||
			     k->prompt_groups > 0 || *k->trace);
}

/* Requests do not count that come before the fleet has reached its size. */
static double settles_after_s(const struct engine *e)
{
	const struct fleet_rules *f = &e->fleet;
	return engine_is_autoscaled(e)
		   ? 10 * (double)(f->sync_ns + f->cold_start_ns) / 1e9
		   : 0;
}

static int open_search(struct searching *g, const struct capacity_task *t,
		       struct capacity_search *s, struct problem *p)
{
	memset(s, 0, sizeof *s);
	*g = (struct searching){.task = *t,
				.s = s,
				.p = p,
				.given = t->engine,
				.engine = *t->engine,
				.units = engine_units(t->engine),
				.has_reuse = has_reuse(t),
				.from_s = settles_after_s(t->engine)};
	int asks_fleet = t->rate > 0 && !t->workload->concurrency;
	s->answer = (struct capacity){.question = asks_fleet ? QUESTION_FLEET
							     : QUESTION_RATE,
				      .limited_by = LIMITED_BY_SATURATION,
				      .units = g->units,
				      .asked = t->rate,
				      .confidence = t->confidence,
				      .turns = (double)t->workload->turns,
				      .recovery_rate = NAN,
				      .peak_rate = NAN,
				      .seen.replicas_mean = NAN,
				      .seen.replicas_peak = NAN,
				      .saturation_rate = NAN};
	if (rated_open(&g->rated, t->workload, t->cfg, t->traces, p) < 0)
		return -1;
	g->is_random = rated_is_random(&g->rated) && !g->rated.is_timed;
	return 0;
}

static void close_search(struct searching *g)
{
	struct capacity *c = &g->s->answer;
	double rate =
	    c->question == QUESTION_FLEET ? c->asked : c->request_rate;
	c->requests_per_replication = g->s->requests;
	if (c->verdict == CAPACITY_FOUND) {
		c->scale = g->rated.is_closed ? NAN : rate / g->rated.base;
		c->output_throughput = rate * c->output_tokens;
		if (rated_has_cycles(&g->rated))
			c->peak_rate = rate * rated_peak(&g->rated);
	}
}

/* Chooses the kind of search that the workload and the question need. */
static int lead(struct searching *g)
{
	if (g->rated.is_timed)
		return stretches(g);
	if (g->rated.is_closed)
		return closed_loop(g);
	if (rated_has_cycles(&g->rated))
		g->s->answer.basis = BASIS_CYCLES;
	if (g->task.rate > 0)
		return least_fleet(g);
	int rc = highest(g);
	if (rc == 0 && !g->s->is_over)
		rc = highest_refine(g, g->task.precision);
	return rc;
}

int capacity_search(const struct capacity_task *t, struct capacity_search *s,
		    struct problem *p)
{
	struct searching g;
	int rc = open_search(&g, t, s, p);
	if (rc == 0)
		rc = lead(&g);
	if (rc == 0 && g.has_reuse && !g.rated.is_timed && !g.rated.is_closed &&
	    !t->is_pessimistic && s->answer.verdict == CAPACITY_FOUND)
		rc = recovery(&g);
	if (rc == 0)
		close_search(&g);
	rated_free(&g.rated);
	free(g.memory);
	return rc;
}

int capacity_find(const struct capacity_task *t, struct capacity *out,
		  struct problem *p)
{
	struct capacity_search *s = calloc(1, sizeof *s);
	if (!s)
		return problem_no_memory(p);
	int rc = capacity_search(t, s, p);
	*out = s->answer;
	free(s);
	return rc;
}
