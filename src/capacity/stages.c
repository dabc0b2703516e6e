/* stages.c -- What the stages of a capacity search share. */
#include <config.h>
#include "capacity/stages.h"
#include <math.h>
#include <string.h>

/* A run of requests that come all at once has no load. */
static void keep_tried(struct capacity_search *s, double load,
		       const struct capacity_run *r)
{
	if (isinf(load) || s->n_tried == CAPACITY_TRIED)
		return;
	struct capacity_tried *t = &s->tried[s->n_tried++];
	t->load = load;
	memcpy(t->excess, r->excess, sizeof t->excess);
	memcpy(t->value, r->value, sizeof t->value);
}

int stage_run(struct searching *g, const struct run_of *of,
	      struct run_result *out)
{
	int rc = run_simulate(g->task, &g->rated, of, out, g->p);
	g->s->answer.simulations++;
	g->s->answer.requests_simulated += out->run.requests;
	if (rc == 0)
		keep_tried(g->s, of->rate, &out->run);
	return rc;
}

int stage_replicate(struct searching *g, double x, uint32_t number)
{
	struct capacity_search *s = g->s;
	struct run_result r;
	const struct run_of of = {
	    .rate = exp(x), .requests = s->requests, .number = number};
	int rc = stage_run(g, &of, &r);
	if (rc == 0) {
		s->run[s->n] = r.run;
		s->run[s->n++].log_rate = x;
		stage_describe(g, &r);
	} else {
		struct problem why = *g->p;
		problem_set(
		    g->p, why.code, "%s (replication %u, seed %llu)", why.text,
		    number,
		    (unsigned long long)run_seed(g->task->workload, number));
	}
	excess_free(&r.excess);
	return rc;
}

int stage_rejects(const struct run_result *r)
{
	return r->run.completed == 0 ||
	       (double)r->run.rejected >
		   CAPACITY_MAX_REJECTED * (double)r->run.requests;
}

void stage_describe(struct searching *g, const struct run_result *r)
{
	struct capacity *c = &g->s->answer;
	c->output_throughput = r->run.output_throughput;
	c->joules_per_token = r->run.joules_per_token;
	c->requests = r->run.requests;
	c->completed = r->run.completed;
	c->rejected = r->run.rejected;
	c->load = r->load;
	if (r->worst > 0)
		c->limited_by = (int32_t)r->worst_bound;
	memcpy(c->value, r->run.value, sizeof c->value);
}

void stage_none(struct searching *g, const struct run_result *r,
		int32_t limited_by)
{
	struct capacity *c = &g->s->answer;
	stage_describe(g, r);
	c->verdict = CAPACITY_NONE;
	c->stopped_by = STOP_NONE;
	c->limited_by = limited_by;
	c->request_rate = c->low = c->high = c->scale = c->slope = NAN;
	g->s->is_over = 1;
}
