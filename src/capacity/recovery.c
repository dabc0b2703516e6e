/* recovery.c -- Finds the rate at which a fleet works off its queue after an
 * overload has emptied its caches: below the rate that it carries from an empty
 * start there may be a second state. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "capacity/stages.h"

/* An overload lasts this long at most.  Requests behind it are watched for at
 * least 900 s; longer while their latencies fall. */
enum { OVERLOAD_MOST_S = 300, OVERLOAD_FIRST_S = 10, AFTER = 5 };
enum { WATCHED_LEAST_S = 900, WATCHED_MOST_S = 3600 };
enum { WATCHED_MOST = 1 << 18 }; /* requests */
enum { MOST_TIMES = 4, LEAST_SHARE = 64 };
#define OVERLOAD 3.0
#define BISECT_TO 1.1
/* As the growth of a queue is judged: excess.c. */
#define LIKE_BEFORE 1.25

struct overload {
	double rate;   /* that the fleet carries from an empty start          */
	double like_s; /* the mean latency there, and a quarter more          */
	double lasts_s;
};

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

/* Simulates the overload, and conversations at a rate behind it: requests that
 * arrive after the overload count. */
static int simulate_stages(struct searching *g, const struct overload *o,
			   double rate, double after_s, struct run_result *r)
{
	double turns = g->s->answer.turns;
	char stages[120];
	struct workload_keys k = *g->task.workload;
	struct rated rated;
	struct capacity_task t = g->task;
	*r = (struct run_result){0};
	int n = snprintf(stages, sizeof stages, "%.17g:%.17g",
			 OVERLOAD * o->rate / turns, o->lasts_s);
	if (after_s > 0)
		snprintf(stages + n, sizeof stages - (size_t)n, ",%.17g:%.17g",
			 rate / turns, after_s);
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
	const struct run_of of = {.rate = rated.base,
				  .requests = rated.cycle,
				  .number = 1,
				  .is_once = 1,
				  .from_s = after_s > 0 ? o->lasts_s : 0};
	if (rc == 0)
		rc = run_simulate(&t, &rated, &of, r, g->p);
	g->s->answer.simulations++;
	g->s->answer.requests_simulated += r->run.requests;
	rated_free(&rated);
	free(c.item);
	return rc;
}

/* The overload lasts until the prompts that wait exceed the caches twice. */
static int find_end(struct searching *g, struct overload *o)
{
	double tokens = 2 * cache_tokens(&g->engine), exceeds_s = INFINITY;
	for (double s = OVERLOAD_FIRST_S; isinf(exceeds_s); s *= 2) {
		struct run_result r;
		o->lasts_s = fmin(s, OVERLOAD_MOST_S);
		int rc = simulate_stages(g, o, 0, 0, &r);
		if (rc == 0)
			rc =
			    excess_waiting(&r.excess, tokens, &exceeds_s, g->p);
		excess_free(&r.excess);
		if (rc < 0)
			return -1;
		if (s >= OVERLOAD_MOST_S)
			break;
	}
	o->lasts_s = fmin(exceeds_s, o->lasts_s);
	return 0;
}

static int find_overload(struct searching *g, double rate, struct overload *o)
{
	struct run_result r;
	const struct run_of of = {
	    .rate = rate, .requests = g->s->requests, .number = 1};
	*o = (struct overload){.rate = rate};
	int rc = stage_run(g, &of, &r);
	const double *latency_s = r.excess.latency_s;
	o->like_s = LIKE_BEFORE * fmin(latency_s[0], latency_s[1]);
	excess_free(&r.excess);
	return rc < 0 ? -1 : find_end(g, o);
}

/* Returns 1 if the fleet works off the overload at a rate, 0, or -1 with *g->p.
 * It does if the latency falls to less than half, or to what it is without an
 * overload.  A fall that has not come so far is watched longer. */
static int recovers(struct searching *g, const struct overload *o, double rate)
{
	double after_s =
	    fmax(AFTER * o->lasts_s, fmin(WATCHED_LEAST_S, SETTLE_MOST / rate));
	for (;; after_s *= 2) {
		struct run_result r;
		int rc = simulate_stages(g, o, rate, after_s, &r);
		double first = r.excess.latency_s[0];
		double last = r.excess.latency_s[1];
		excess_free(&r.excess);
		if (rc < 0)
			return -1;
		if (last < first / 2 || last < o->like_s)
			return 1;
		if (last >= first || 2 * after_s > WATCHED_MOST_S ||
		    2 * after_s * rate > WATCHED_MOST)
			return 0;
	}
}

/* ---- the two questions ---- */

/* Bisects between a rate that recovers and one that does not; both are
 * simulated. */
static int recovery_of_rate(struct searching *g)
{
	struct capacity *c = &g->s->answer;
	struct overload o;
	double high = c->request_rate, low = high / 4;
	if (find_overload(g, high, &o) < 0)
		return -1;
	int is = recovers(g, &o, high);
	if (is) {
		c->recovery_rate = high;
		return is < 0 ? -1 : 0;
	}
	while ((is = recovers(g, &o, low)) == 0) {
		high = low;
		low /= 2;
		if (low < c->request_rate / LEAST_SHARE)
			return 0;
	}
	while (is >= 0 && high > low * BISECT_TO) {
		double mid = sqrt(low * high);
		is = recovers(g, &o, mid);
		*(is ? &low : &high) = mid;
	}
	c->recovery_rate = low;
	return is < 0 ? -1 : 0;
}

static int recovery_of_fleet(struct searching *g)
{
	struct capacity *c = &g->s->answer;
	struct overload o;
	uint32_t most = c->units_high * MOST_TIMES;
	if (g->task.most_units && most > g->task.most_units)
		most = g->task.most_units;
	for (uint32_t n = c->units_high; n <= most; n++) {
		if (stage_units(g, n) < 0 || find_overload(g, c->asked, &o) < 0)
			return -1;
		int is = recovers(g, &o, c->asked);
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
