/* simulation.c -- Simulates one configuration, as the race or a search asks. */
#include "recommend/simulation.h"
#include <math.h>
#include <stdlib.h>
#include "capacity/one_draw.h"
#include "capacity/answer.h"
#include "capacity/own_pessimistic.h"

/* The lowest rate of a search, as a share of the workload's; the most requests
 * of a run. */
#define UNLOADED (1.0 / 1024)
enum { MOST_REQUESTS = 1 << 20 };

/* ---- runs ---- */

int recommend_simulation_begin(struct candidate_run *t,
			       const struct work_task *task,
			       struct prepared_arm *b, uint64_t requests,
			       struct problem *p)
{
	struct arm *a = &b->work.arm;
	*t = (struct candidate_run){
	    .of = task,
	    .arm = a,
	    .keys = task->config->workload_keys,
	    .rules = {.stops_early = 1,
		      .must_be_long = 1,
		      .most_requests =
			  task->runs_are_fixed ? 0 : MOST_REQUESTS}};
	if (*t->keys.trace)
		t->rules.least_requests = task->runs_are_fixed ? 0 : requests;
	else if (!*t->keys.stages && requests > (uint64_t)t->keys.num_requests)
		t->keys.num_requests = (int64_t)requests;
	arm_run_costs(a, t->cost);
	t->task = (struct capacity_task){
	    .engine = &a->engine,
	    .cost = t->cost,
	    .workload = &t->keys,
	    .cfg = &a->config->cfg,
	    .traces = task->traces,
	    .bounds = task->bounds,
	    .precision = task->precision,
	    .confidence = SEARCH_CONFIDENCE,
	    .request_limit = SEARCH_REQUEST_LIMIT,
	    .step_memory = prepared_arm_step_memory(b, p),
	};
	return t->task.step_memory ? 0 : -1;
}

static void take_draw(const struct draw *from, struct work_answer *out)
{
	struct race_answer *a = &out->race;
	a->met = from->met;
	a->is_too_short = from->is_too_short;
	a->limited_by = from->at.limited_by;
	a->scale = from->at.scale;
	a->requests = from->at.seen.requests;
	a->simulations += from->simulations;
	out->served = (struct work_served){NAN, NAN, NAN, NAN};
	if (from->met)
		out->served = (struct work_served){
		    from->at.request_rate, from->at.output_throughput,
		    from->mean_tpot_ms, from->at.seen.joules_per_token};
}

static int run_at(const struct candidate_run *t, double scale,
		  struct work_answer *out, struct problem *p)
{
	struct draw d;
	int rc = draw_run(&t->task, scale, &t->rules, &d, p);
	if (rc == 0)
		take_draw(&d, out);
	return rc;
}

static int search_from(const struct candidate_run *t, double scale,
		       double factor, struct work_answer *out,
		       struct problem *p)
{
	const struct draw_search how = {
	    .first = scale, .factor = factor, .rules = t->rules};
	struct draw best;
	uint64_t before = out->race.simulations;
	if (draw_search(&t->task, &how, &out->found, &best, p) < 0)
		return -1;
	take_draw(&best, out);
	out->race.simulations = before + out->found.simulations;
	return 0;
}

/* ---- a question of the race ---- */

static int is_closed(const struct candidate_run *t)
{
	return t->keys.concurrency > 0;
}

/* All configurations at one load: the least energy of a token. */
static int measure_energy(const struct candidate_run *t, double scale,
			  struct work_answer *out, struct problem *p)
{
	if (run_at(t, scale, out, p) < 0)
		return -1;
	if (out->race.met && !(out->served.joules_per_token > 0))
		return problem_set(p, EXIT_USAGE,
				   "the power of %s is not known under this "
				   "configuration (etc/power.csv)",
				   t->arm->hardware.name);
	out->race.scale = 1 / out->served.joules_per_token;
	return 0;
}

/* In a closed loop the most tokens count; else the highest rate. */
static int measure(const struct candidate_run *t, double scale,
		   struct work_answer *out, struct problem *p)
{
	if (t->of->is_energy)
		return measure_energy(t, scale, out, p);
	if (!is_closed(t))
		return search_from(t, 1, 2, out, p);
	int rc = run_at(t, 1, out, p);
	if (rc == 0)
		out->race.scale = out->served.output_throughput;
	return rc;
}

int recommend_simulation_race(const struct candidate_run *t,
			      const struct race_question *q,
			      struct work_answer *out, struct problem *p)
{
	switch ((enum race_ask)q->ask) {
	case RACE_FIRST:
		if (run_at(t, UNLOADED, out, p) < 0)
			return -1;
		return out->race.met ? search_from(t, 1, 2, out, p) : 0;
	case RACE_AT:
		return run_at(t, q->scale, out, p);
	case RACE_CLIMB:
		return search_from(t, q->scale, 1.5, out, p);
	case RACE_MEASURE:
		return measure(t, q->scale, out, p);
	}
	return problem_set(p, EXIT_USAGE, "no such question");
}

/* ---- a full search ---- */

/* A closed loop has no rate to search: one run says how many tokens. */
static int run_closed(struct candidate_run *t, struct work_answer *out,
		      struct problem *p)
{
	struct draw d;
	t->rules.stops_early = 0;
	if (draw_run(&t->task, 1, &t->rules, &d, p) < 0)
		return -1;
	take_draw(&d, out);
	out->found = d.at;
	out->found.verdict = d.met ? CAPACITY_FOUND : CAPACITY_NONE;
	out->found.basis = BASIS_ONE_DRAW;
	out->found.low = out->found.high = d.at.request_rate;
	out->found.clients = (uint64_t)t->keys.concurrency;
	out->found.simulations = d.simulations;
	out->found.requests_simulated = d.requests_simulated;
	return 0;
}

/* A trace at its own times is one draw, however often it comes.  If its runs
 * would be too short, the search must know that. */
static int is_one_draw(const struct candidate_run *t)
{
	uint64_t n = t->of->timed_requests;
	return t->of->one_draw ||
	       (n && (t->of->runs_are_fixed || t->rules.least_requests > n));
}

/* Repeats the draw with the bounds and costs of *task, and keeps the answer if
 * it is the lowest so far.  must_be_known: NULL, or a flag without which the
 * answer is not kept, because the costs do not say how sure they are. */
static int draw_lesser(struct candidate_run *t,
		       const struct capacity_task *task,
		       const int *must_be_known, struct work_answer *out,
		       struct problem *p)
{
	const struct capacity_task middle = t->task;
	struct work_answer *there = calloc(1, sizeof *there);
	if (!there)
		return problem_no_memory(p);
	struct capacity *is = &there->found;
	there->served = (struct work_served){NAN, NAN, NAN, NAN};
	t->task = *task;
	int rc = is_closed(t) ? run_at(t, 1, there, p)
			      : search_from(t, out->found.scale, 2, there, p);
	t->task = middle;
	is->verdict = there->race.met ? CAPACITY_FOUND : CAPACITY_NONE;
	is->request_rate = there->served.request_rate;
	is->output_throughput = there->served.output_throughput;
	is->simulations = there->race.simulations;
	if ((!must_be_known || *must_be_known) &&
	    (!out->has_pessimistic ||
	     capacity_is_less(is, &out->pessimistic))) {
		out->pessimistic = *is;
		out->has_pessimistic = 1;
	}
	free(there);
	return rc;
}

/* Searches with the steps as slow as the cost model itself thinks possible, if
 * it says how sure it is. */
static int draw_own(struct candidate_run *t, struct work_answer *out,
		    struct problem *p)
{
	struct capacity_task task = t->task;
	struct own_pessimistic *own = malloc(sizeof *own);
	if (!own)
		return problem_no_memory(p);
	int rc = own_pessimistic_begin(own, t->task.cost, p);
	task.cost = own->of;
	if (rc > 0)
		rc = draw_lesser(t, &task, &own->is_known, out, p);
	free(own);
	return rc;
}

/* The answer of one draw where the arm errs by as much as elsewhere, or as it
 * says itself: the lesser of both. */
static int draw_pessimistic(struct candidate_run *t, struct work_answer *out,
			    struct problem *p)
{
	struct capacity_task task = t->task;
	struct bounds bounds;
	if (out->found.verdict != CAPACITY_FOUND || t->of->is_energy)
		return 0;
	task.bounds = &bounds;
	if (trusted_bounds(&out->trusted, t->of->bounds, &bounds) &&
	    draw_lesser(t, &task, NULL, out, p) < 0)
		return -1;
	return draw_own(t, out, p);
}

static int search_draw(struct candidate_run *t, struct work_answer *out,
		       struct problem *p)
{
	const struct arm *a = t->arm;
	int rc =
	    is_closed(t) ? run_closed(t, out, p) : search_from(t, 1, 2, out, p);
	if (rc < 0)
		return -1;
	out->trusted = trusted_of(a->config, a->index, a->plugin.p.version,
				  &out->found.seen.load);
	return draw_pessimistic(t, out, p);
}

/* As `capacity` asks: the same seeds, the same figures. */
static int search_fleet(struct candidate_run *t, struct work_answer *out,
			struct problem *p)
{
	const struct work_task *of = t->of;
	const struct capacity_ask ask = {
	    .bounds = of->bounds,
	    .workload = &of->config->workload_keys,
	    .traces = of->traces,
	    .rate = of->rate,
	    .most_gpus = of->gpus,
	    .precision = fmax(of->precision, SEARCH_PRECISION),
	    .confidence = SEARCH_CONFIDENCE,
	    .request_limit = SEARCH_REQUEST_LIMIT,
	    .step_memory = t->task.step_memory,
	    .step_bytes = t->task.step_bytes};
	struct capacity_answer *found;
	int rc = capacity_answer_ask(&ask, t->arm, &found, p);
	if (rc == 0) {
		out->found = found->capacity;
		out->needs_gpus = answer_gpus(found, answer_units(found).high);
		out->pessimistic = found->pessimistic;
		out->has_pessimistic = found->has_pessimistic;
		out->trusted = found->trusted;
	}
	free(found);
	return rc;
}

int recommend_simulation_search(struct candidate_run *t,
				struct work_answer *out, struct problem *p)
{
	out->outside = answer_outside_of(&t->arm->engine);
	return is_closed(t) || is_one_draw(t) ? search_draw(t, out, p)
					      : search_fleet(t, out, p);
}

/* ---- how near ---- */

int recommend_simulation_miss(struct candidate_run *t, double scale,
			      struct work_answer *out, struct problem *p)
{
	enum { FEW = 200 };
	const struct bounds *b = t->of->bounds;
	struct draw d;
	int is_unloaded = !is_closed(t) && !(scale > 0);
	double most = -INFINITY;
	/* As long as the race's, but whole runs: how far is it? */
	t->rules.stops_early = 0;
	if (is_unloaded && !*t->keys.trace && !*t->keys.stages)
		t->keys.num_requests = FEW;
	if (is_closed(t))
		scale = 1; /* a closed loop has no other */
	else if (is_unloaded)
		scale = UNLOADED;
	if (draw_run(&t->task, scale, &t->rules, &d, p) < 0)
		return -1;
	out->found = d.at;
	for (size_t i = 0; i < b->n && d.at.limited_by >= 0; i++) {
		double ratio = b->bound[i].latency == LATENCY_GOOD
				   ? INFINITY
				   : d.at.seen.value[i] / b->bound[i].limit;
		/* NaN, as of TPOT with one token each, breaks no bound. */
		if (ratio > most) {
			most = ratio;
			out->found.limited_by = (int32_t)i;
		}
	}
	out->miss = d.met || d.is_too_short ? 0
		    : most > -INFINITY      ? most
					    : INFINITY;
	return 0;
}
