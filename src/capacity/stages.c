/* stages.c -- What the stages of a capacity search share. */
#include "capacity/stages.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the fleet ---- */

int stage_units(struct searching *g, uint32_t units)
{
	engine_with_units(&g->engine, g->given, units);
	g->units = units;
	g->task.engine = &g->engine;
	size_t bytes = simulation_step_bytes(&g->engine);
	if (bytes <= g->task.step_bytes)
		return 0;
	free(g->memory);
	g->memory = malloc(bytes);
	g->memory_bytes = g->memory ? bytes : 0;
	g->task.step_memory = g->memory;
	g->task.step_bytes = g->memory_bytes;
	return g->memory ? 0 : problem_no_memory(g->p);
}

/* ---- runs ---- */

/* A run of requests that come all at once has no load. */
static void keep_tried(struct capacity_search *s, double load,
		       const struct run_result *r)
{
	if (isinf(load) || s->n_tried == CAPACITY_TRIED || r->was_cut)
		return;
	struct capacity_tried *t = &s->tried[s->n_tried++];
	t->load = load;
	memcpy(t->excess, r->run.excess, sizeof t->excess);
	memcpy(t->value, r->run.value, sizeof t->value);
}

/* The first decision of an autoscaler, with nothing running, would stop all
 * replicas but the least number, and the queue that follows takes long to
 * drain.  So the fleet begins with all of them, and decides nothing in the
 * first half of what does not count. */
static void begin_with_all(struct engine *e, double from_s)
{
	if (!engine_is_autoscaled(e) || !(from_s > 0))
		return;
	e->fleet.start = e->fleet.max;
	e->fleet.first_ns = llround(from_s / 2 * 1e9);
}

int stage_run(struct searching *g, const struct run_of *of,
	      struct run_result *out)
{
	struct run_of from = *of;
	struct capacity_task task = g->task;
	struct engine engine = *task.engine;
	struct capacity *c = &g->s->answer;
	if (!c->simulations)
		from.said = g->task.said;
	memset(g->task.step_memory, 0, g->task.step_bytes);
	begin_with_all(&engine, of->from_s);
	task.engine = &engine;
	int rc = run_simulate(&task, &g->rated, &from, out, g->p);
	c->simulations++;
	c->requests_simulated += out->run.requests;
	out->run.realised = out->rate > 0 ? out->rate / of->rate : 1;
	if (rc == 0)
		keep_tried(g->s, of->rate, out);
	return rc;
}

/* A run tells the replicas of an autoscaler; other fleets have no mean. */
static void keep_replicas(struct searching *g, const struct run_result *r)
{
	struct capacity_seen *seen = &g->s->answer.seen;
	if (!engine_is_autoscaled(&g->engine))
		return;
	seen->replicas_mean = r->excess.replicas_mean;
	seen->replicas_peak = r->excess.replicas_peak;
}

static int run_replication(struct searching *g, double x, uint32_t number,
			   uint64_t requests, struct run_result *r)
{
	double rate = exp(x);
	const struct run_of of = {
	    .rate = rate,
	    .requests = requests + (uint64_t)(stage_from_s(g, rate) * rate),
	    .number = number,
	    .from_s = stage_from_s(g, rate)};
	if (stage_run(g, &of, r) == 0)
		return 0;
	struct problem why = *g->p;
	return problem_set(
	    g->p, why.code, "%s (replication %u, seed %llu)", why.text, number,
	    (unsigned long long)run_seed(g->task.workload, number));
}

/* Where no bound is exceeded by much, growth decides, and chance looks like it
 * now and then: it is believed if a run of twice the length grows as well. */
static int check_growth(struct searching *g, struct capacity_run *run)
{
	struct run_result longer;
	int exceeds = 0;
	for (uint32_t i = 0; i < g->task.bounds->n; i++)
		exceeds |= run->excess[i] > 2.5;
	if (!run->grows || exceeds)
		return 0;
	int rc = run_replication(g, run->log_rate, run->number,
				 2 * g->s->requests, &longer);
	run->grows = longer.run.grows;
	excess_free(&longer.excess);
	return rc;
}

int stage_replicate(struct searching *g, struct capacity_end *end,
		    uint32_t number)
{
	struct run_result r;
	struct capacity_run *run = &end->run[end->n];
	int rc = run_replication(g, end->x, number, g->s->requests, &r);
	*run = r.run;
	run->log_rate = end->x;
	if (rc == 0) {
		g->s->answer.seen.load = r.load;
		keep_replicas(g, &r);
	}
	excess_free(&r.excess);
	if (rc == 0)
		rc = check_growth(g, run);
	end->n += rc == 0;
	return rc;
}

/* ---- the answer ---- */

void stage_describe(struct searching *g, const struct run_result *r)
{
	struct capacity *c = &g->s->answer;
	struct capacity_seen *seen = &c->seen;
	seen->joules_per_token = r->run.joules_per_token;
	seen->requests = r->run.requests;
	seen->completed = r->run.completed;
	seen->rejected = r->run.rejected;
	seen->hit_rate = r->run.hit_rate;
	seen->load = r->load;
	memcpy(seen->value, r->run.value, sizeof seen->value);
	keep_replicas(g, r);
	if (r->worst > 0)
		c->limited_by = (int32_t)r->worst_bound;
}

void stage_none(struct searching *g, int32_t limited_by)
{
	struct capacity *c = &g->s->answer;
	c->verdict = CAPACITY_NONE;
	c->stopped_by = STOP_NONE;
	c->limited_by = limited_by;
	c->request_rate = c->low = c->high = c->scale = NAN;
	g->s->is_over = 1;
}

int stage_lengths(struct searching *g)
{
	struct capacity *c = &g->s->answer;
	struct capacity_lengths l;
	if (capacity_lengths(&g->task, &l, g->p) < 0)
		return -1;
	c->rejected_share = l.rejected_share;
	c->output_tokens = l.output_tokens;
	if (!lengths_refuse(&l))
		return 0;
	c->seen.requests = l.drawn;
	c->seen.rejected = l.rejected;
	c->seen.completed = l.drawn - l.rejected;
	if (g->task.said)
		rejections_write(&l.why, g->task.said);
	stage_none(g, LIMITED_BY_REJECTION);
	return 0;
}

/* ---- where a search begins ---- */

int stage_at_once(struct searching *g, double *per_s)
{
	struct run_result r;
	uint64_t m = SETTLE_LEAST * (uint64_t)(g->units < 8 ? g->units : 8);
	const struct run_of of = {.rate = INFINITY, .requests = m};
	int rc = stage_run(g, &of, &r);
	*per_s = rc == 0 ? excess_throughput(&r.excess, 0.3, 0.8) : 0;
	if (rc == 0)
		stage_describe(g, &r);
	excess_free(&r.excess);
	g->s->answer.saturation_rate = *per_s;
	return rc;
}

int stage_unloaded(struct searching *g, double per_s)
{
	enum { FEW = 500 };
	struct run_result r;
	const struct run_of of = {.rate = per_s / 1000, .requests = FEW};
	int rc = stage_run(g, &of, &r);
	if (rc == 0 && r.worst > 1) {
		stage_describe(g, &r);
		stage_none(g, (int32_t)r.worst_bound);
	}
	excess_free(&r.excess);
	return rc;
}
