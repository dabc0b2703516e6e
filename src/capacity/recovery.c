/* recovery.c -- Finds the rate at which a fleet works off its queue after an
 * overload has emptied its caches: below the rate that it carries from an empty
 * start there may be a second state. */
#include <config.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "capacity/stages.h"

enum { LONGEST_S = 300, SHORTEST_S = 10, AFTER = 5, MOST_TIMES = 4 };
#define OVERLOAD 3.0
#define BISECT_TO 1.1

/* ---- the overload ---- */

/* Tokens of the caches of all replicas that compute prompts. */
static double cache_tokens(const struct engine *e)
{
	uint32_t n = e->prefill_replicas ? e->prefill_replicas : e->replicas;
	uint64_t blocks = e->num_gpu_blocks == ENGINE_UNLIMITED
			      ? e->kv_room_blocks
			      : e->num_gpu_blocks;
	return (double)blocks * e->block_size * n;
}

/* Until the prompts that wait exceed the caches twice: they come at three times
 * the rate that is carried, so two thirds of them wait. */
static double overload_s(const struct searching *g, double overload)
{
	const struct capacity *c = &g->s->answer;
	double tokens = 2 * cache_tokens(&g->engine);
	double per_s = overload * (1 - 1 / OVERLOAD) * c->load.input_tokens;
	double s = per_s > 0 ? tokens / per_s : LONGEST_S;
	return fmin(fmax(s, SHORTEST_S), LONGEST_S);
}

/* The INI without what says when requests arrive, which the stages now do.  Its
 * items are those of *from; the caller frees the array. */
static struct ini without_arrivals(const struct ini *from)
{
	static const char *const gone[] = {"request_rate", "interarrival_us",
					   "concurrency", "on_s", "off_s"};
	struct ini c = *from;
	c.n = 0;
	c.item = calloc(from->n + 1, sizeof *c.item);
	for (size_t i = 0; c.item && i < from->n; i++) {
		int is_gone = 0;
		for (size_t k = 0; k < sizeof gone / sizeof *gone; k++)
			is_gone |= !strcmp(from->item[i].section, "workload") &&
				   !strcmp(from->item[i].key, gone[k]);
		if (!is_gone)
			c.item[c.n++] = from->item[i];
	}
	return c;
}

static int simulate_stages(struct searching *g, double seconds,
			   const char *stages, struct run_result *r)
{
	struct workload_keys k = *g->task.workload;
	struct rated rated;
	struct capacity_task t = g->task;
	*r = (struct run_result){0};
	k.stages = stages;
	k.on_s = k.off_s = 0;
	k.rate_scale = 1;
	k.request_rate = k.interarrival_us = 0;
	struct ini c = without_arrivals(t.cfg);
	if (!c.item)
		return problem_no_memory(g->p);
	t.workload = &k;
	t.cfg = &c;
	int rc = rated_open(&rated, &k, t.cfg, t.traces, g->p);
	/* Once through, and what follows the overload counts. */
	const struct run_of of = {.rate = rated.base,
				  .requests = rated.cycle,
				  .number = 1,
				  .is_once = 1,
				  .from_s = seconds};
	if (rc == 0)
		rc = run_simulate(&t, &rated, &of, r, g->p);
	g->s->answer.simulations++;
	g->s->answer.requests_simulated += r->run.requests;
	rated_free(&rated);
	free(c.item);
	return rc;
}

int recovers(struct searching *g, double overload, double rate)
{
	char stages[120];
	double turns = g->s->answer.turns;
	double seconds = overload_s(g, OVERLOAD * overload);
	double after = fmax(AFTER * seconds, LONGEST_S);
	struct run_result r;
	snprintf(stages, sizeof stages, "%.17g:%.17g,%.17g:%.17g",
		 OVERLOAD * overload / turns, seconds, rate / turns, after);
	int rc = simulate_stages(g, seconds, stages, &r);
	const double *latency_s = r.excess.latency_s;
	int does = latency_s[1] < latency_s[0] / 2;
	excess_free(&r.excess);
	return rc < 0 ? -1 : does;
}

/* ---- the two questions ---- */

static int recovery_of_rate(struct searching *g)
{
	struct capacity *c = &g->s->answer;
	double high = c->request_rate, low = high / 4;
	int is = recovers(g, c->request_rate, high);
	if (is < 0)
		return -1;
	if (is) {
		c->recovery_rate = high;
		return 0;
	}
	while (high > low * BISECT_TO) {
		double mid = sqrt(low * high);
		is = recovers(g, c->request_rate, mid);
		if (is < 0)
			return -1;
		if (is)
			low = mid;
		else
			high = mid;
	}
	c->recovery_rate = low;
	return 0;
}

static int recovery_of_fleet(struct searching *g)
{
	struct capacity *c = &g->s->answer;
	uint32_t most = c->units_high * MOST_TIMES;
	if (g->task.most_units && most > g->task.most_units)
		most = g->task.most_units;
	for (uint32_t n = c->units_high; n <= most; n++) {
		if (stage_units(g, n) < 0)
			return -1;
		int is = recovers(g, c->asked, c->asked);
		if (is < 0)
			return -1;
		if (is) {
			c->units_recovery = n;
			break;
		}
	}
	return 0;
}

int recovery(struct searching *g)
{
	if (g->task.workload->turns < 2)
		return 0;
	return g->s->answer.question == QUESTION_FLEET ? recovery_of_fleet(g)
						       : recovery_of_rate(g);
}
