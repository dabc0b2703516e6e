/* answer.c -- Asks what an arm's fleet serves, and what that takes. */
#include "capacity/answer.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "arm/arm_gpus.h"
#include "arm/run.h"
#include "capacity/one_draw.h"
#include "capacity/own_pessimistic.h"
#include "capacity/search.h"
#include "engine/units.h"
#include "workload/trace/traces.h"

/* ---- the arm ---- */

struct answer_outside answer_outside_of(const struct engine *e)
{
	const struct engine *to = engine_of_pool(e, 1);
	return (struct answer_outside){
	    .router = routing_words[e->routing],
	    .has_handover = e->prefill_replicas > 0,
	    .bandwidth_gbs = to->kv_transfer_bytes_per_s / 1e9,
	    .latency_us = (double)to->kv_transfer_latency_ns / 1e3,
	    .fixed_us = (double)to->pd_fixed_ns / 1e3,
	    .proxy_us = (double)to->proxy_ns / 1e3};
}

/* Fills in what an answer says of the arm alone: GPUs, prices, router. */
static void describe(struct capacity_answer *out, const struct arm *a,
		     int is_independent)
{
	const struct engine *e = &a->engine;
	uint32_t units = engine_units(e);
	int is_scaled = engine_is_autoscaled(e);
	uint64_t gpus = config_arm_gpus(a->config, a->index);
	out->is_independent = is_independent;
	out->gpus_per_unit =
	    (uint32_t)(is_scaled ? e->fleet.gpus * e->per_replica
				 : gpus / units);
	out->replicas_per_unit =
	    is_scaled ? 1 : e->replicas / e->per_replica / units;
	out->usd_per_hour = arm_usd_per_hour(a);
	out->usd_per_joule = a->hardware.power.usd_per_joule;
	out->price[0] = a->hardware.price;
	if (a->pool)
		out->price[1] = a->decode->hardware.price;
	out->outside = answer_outside_of(e);
}

/* ---- the question ---- */

static struct capacity_task task_of(const struct capacity_ask *how,
				    struct arm *a, struct cost *const *cost,
				    const struct engine *e,
				    const struct capacity_answer *x)
{
	int asks_fleet = how->rate > 0 && !x->is_independent;
	return (struct capacity_task){.engine = e,
				      .cost = cost,
				      .workload = how->workload,
				      .cfg = &a->config->cfg,
				      .traces = how->traces,
				      .bounds = how->bounds,
				      .rate = asks_fleet ? how->rate : 0,
				      .is_given = how->is_given,
				      .most_units =
					  how->most_gpus / x->gpus_per_unit,
				      .precision = how->precision,
				      .confidence = how->confidence,
				      .request_limit = how->request_limit,
				      .said = how->said,
				      .step_memory = how->step_memory,
				      .step_bytes = how->step_bytes};
}

/* The same method, seeds and length of runs as in the middle, so the answer is
 * never above it. */
static int find_lesser(const struct capacity_ask *how, struct capacity_task *t,
		       const struct capacity *c, struct capacity *to,
		       struct problem *p)
{
	t->said = NULL;
	t->is_pessimistic = 1;
	t->least_requests = c->requests_per_replication;
	if (c->question == QUESTION_FLEET)
		t->first_units = c->units_high;
	else if (c->basis != BASIS_CYCLES && !c->clients)
		t->first_rate = c->request_rate;
	int rc = how->one_draw ? capacity_one_draw(t, to, p)
			       : capacity_find(t, to, p);
	if (rc < 0 || to->verdict != CAPACITY_FOUND)
		return rc;
	/* Chance may have it otherwise. */
	to->request_rate = fmin(to->request_rate, c->request_rate);
	to->low = fmin(to->low, c->low);
	to->high = fmin(to->high, c->high);
	if (to->units_high < c->units_high)
		to->units_high = c->units_high;
	return 0;
}

int answer_pessimistic_is_known(const struct capacity_answer *x)
{
	const struct capacity *far = &x->pessimistic;
	return x->has_pessimistic && far->verdict != CAPACITY_UNDECIDED &&
	       (x->is_own || far->limited_by != LIMITED_BY_SATURATION);
}

/* The answer where the model errs by as much as it says itself. */
static int find_own(const struct capacity_ask *how,
		    const struct capacity_task *middle,
		    struct capacity_answer *out, struct problem *p)
{
	struct capacity_task t = *middle;
	struct own_pessimistic own;
	const struct capacity *c = &out->capacity;
	if (c->verdict != CAPACITY_FOUND)
		return 0;
	int rc = own_pessimistic_begin(&own, middle->cost, p);
	if (rc <= 0)
		return rc;
	t.cost = own.of;
	if (find_lesser(how, &t, c, &out->own, p) < 0)
		return -1;
	out->has_own = own.is_known;
	if (!out->has_own || (answer_pessimistic_is_known(out) &&
			      !capacity_is_less(&out->own, &out->pessimistic)))
		return 0;
	out->pessimistic = out->own;
	out->has_pessimistic = out->is_own = 1;
	return 0;
}

/* The answer where the arm errs by as much as it did elsewhere, or as it says
 * itself: the lesser of both. */
static int find_pessimistic(const struct capacity_ask *how,
			    const struct capacity_task *middle,
			    struct capacity_answer *out, struct problem *p)
{
	struct capacity_task t = *middle;
	const struct capacity *c = &out->capacity;
	struct bounds bounds;
	if (c->limited_by == LIMITED_BY_REJECTION || how->skips_pessimistic)
		return 0;
	if (trusted_bounds(&out->trusted, how->bounds, &bounds)) {
		out->has_pessimistic = 1;
		t.bounds = &bounds;
		if (c->verdict != CAPACITY_FOUND)
			out->pessimistic = *c;
		else if (find_lesser(how, &t, c, &out->pessimistic, p) < 0)
			return -1;
	}
	return find_own(how, middle, out, p);
}

/* A trace is read once for all runs. */
static int keep_trace(const struct capacity_ask *how, const struct arm *a,
		      struct traces *own, struct problem *p)
{
	uint64_t unused;
	return how->traces || !*how->workload->trace
		   ? 0
		   : workload_read_trace(own, how->workload, &a->config->cfg,
					 &unused, p);
}

static int search(const struct capacity_ask *how, struct capacity_task *t,
		  struct arm *a, struct capacity_search *s,
		  struct capacity_answer *out, struct problem *p)
{
	int rc = how->one_draw ? capacity_one_draw(t, &s->answer, p)
			       : capacity_search(t, s, p);
	if (rc < 0)
		return -1;
	out->capacity = s->answer;
	memcpy(out->test, s->test, sizeof out->test);
	out->trusted = trusted_of(a->config, a->index, a->plugin.p.version,
				  &s->answer.seen.load);
	return find_pessimistic(how, t, out, p);
}

int capacity_answer_find(const struct capacity_ask *how, struct arm *a,
			 struct capacity_search *s, struct capacity_answer *out,
			 struct problem *p)
{
	struct cost *cost[2];
	struct traces own = {0};
	struct engine unit;
	/* Neither one draw nor a number of clients tells how many are enough.
	 */
	int is_one =
	    how->is_independent ||
	    (how->rate > 0 && (how->one_draw || how->workload->concurrency));
	*out = (struct capacity_answer){0};
	describe(out, a, is_one);
	engine_with_units(&unit, &a->engine,
			  is_one ? 1 : engine_units(&a->engine));
	arm_run_costs(a, cost);
	struct capacity_task t = task_of(how, a, cost, &unit, out);
	int rc = keep_trace(how, a, &own, p);
	if (!t.traces && own.n)
		t.traces = &own;
	if (rc == 0)
		rc = search(how, &t, a, s, out, p);
	out->capacity.asked = how->rate;
	traces_free(&own);
	return rc;
}

int capacity_answer_ask(const struct capacity_ask *how, struct arm *a,
			struct capacity_answer **out, struct problem *p)
{
	struct capacity_search *s = calloc(1, sizeof *s);
	*out = calloc(1, sizeof **out);
	int rc = s && *out ? capacity_answer_find(how, a, s, *out, p)
			   : problem_no_memory(p);
	free(s);
	return rc;
}

/* ---- what it takes ---- */

double answer_gpus(const struct capacity_answer *x, double units)
{
	return units * x->gpus_per_unit;
}

static double units_for(const struct capacity *c, double asked,
			double per_unit_s)
{
	return asked > 0 ? ceil(asked / per_unit_s) : c->units;
}

static struct answer_units units_of(const struct capacity_answer *x,
				    const struct capacity *c)
{
	double asked = x->capacity.asked;
	if (c->verdict != CAPACITY_FOUND)
		return (struct answer_units){INFINITY, INFINITY, INFINITY};
	if (c->question == QUESTION_FLEET)
		return (struct answer_units){c->units_low, c->units_high,
					     c->units_high};
	if (x->is_independent)
		return (struct answer_units){
		    units_for(c, asked, c->high),
		    units_for(c, asked, c->request_rate),
		    units_for(c, asked, c->low)};
	return (struct answer_units){c->units, c->units, c->units};
}

struct answer_units answer_units(const struct capacity_answer *x)
{
	return units_of(x, &x->capacity);
}

struct answer_units answer_pessimistic_units(const struct capacity_answer *x)
{
	return units_of(x, &x->pessimistic);
}

double answer_joules(const struct capacity_answer *x)
{
	return x->capacity.verdict == CAPACITY_FOUND
		   ? x->capacity.seen.joules_per_token
		   : (double)NAN;
}

/* GPUs that are paid for, in the mean: an autoscaler's come and go. */
static double gpus_paid(const struct capacity_answer *x)
{
	const struct capacity *c = &x->capacity;
	if (!isnan(c->seen.replicas_mean))
		return answer_gpus(x, c->seen.replicas_mean);
	return answer_gpus(x, x->is_independent ? 1 : answer_units(x).high);
}

struct usd_per_mtok answer_usd_per_mtok(const struct capacity_answer *x)
{
	int found = x->capacity.verdict == CAPACITY_FOUND;
	const struct usd_of of = {.usd_per_hour =
				      found ? x->usd_per_hour * gpus_paid(x)
					    : (double)NAN,
				  .tokens_per_s = x->capacity.output_throughput,
				  .joules_per_token = answer_joules(x),
				  .usd_per_joule = x->usd_per_joule};
	return usd_per_mtok(&of);
}

static void money_figures(const struct capacity_answer *x, double *v)
{
	const struct answer_units n = answer_units(x);
	const double units[3] = {n.low, n.mid, n.high};
	double price = x->usd_per_hour > 0 ? x->usd_per_hour : NAN;
	double mean = x->capacity.seen.replicas_mean;
	for (int i = 0; i < 3; i++) {
		double gpus = answer_gpus(x, units[i]);
		double paid = isnan(mean) ? gpus : answer_gpus(x, mean);
		v[FIGURE_REPLICAS_LOW + i] = units[i] * x->replicas_per_unit;
		v[FIGURE_DEPLOYMENTS_LOW + i] =
		    x->is_independent ? units[i] : (double)NAN;
		v[FIGURE_GPUS_LOW + i] = gpus;
		v[FIGURE_USD_PER_HOUR_LOW + i] = paid * price;
	}
	struct usd_per_mtok usd = answer_usd_per_mtok(x);
	v[FIGURE_GPU_USD_PER_MTOK] = usd.gpus;
	v[FIGURE_ENERGY_USD_PER_MTOK] = usd.energy;
	v[FIGURE_USD_PER_MTOK] = usd.sum;
	v[FIGURE_JOULES] = answer_joules(x);
	v[FIGURE_GPUS_PER_DEPLOYMENT] = x->gpus_per_unit;
	v[FIGURE_GPUS_MEAN] = answer_gpus(x, mean);
	v[FIGURE_GPUS_PEAK] = answer_gpus(x, x->capacity.seen.replicas_peak);
}

static void search_figures(const struct capacity *c, double *v)
{
	v[FIGURE_CONFIDENCE] = c->confidence;
	v[FIGURE_SATURATION_RATE] = c->saturation_rate;
	v[FIGURE_REPLICATIONS] = c->replications;
	v[FIGURE_REQUESTS_PER_REPLICATION] =
	    (double)c->requests_per_replication;
	v[FIGURE_SIMULATIONS] = (double)c->simulations;
	v[FIGURE_REQUESTS_SIMULATED] = (double)c->requests_simulated;
	v[FIGURE_REQUESTS] = (double)c->seen.requests;
	v[FIGURE_COMPLETED] = (double)c->seen.completed;
	v[FIGURE_REJECTED] = (double)c->seen.rejected;
}

void answer_figures(const struct capacity_answer *x,
		    double v[N_CAPACITY_FIGURES])
{
	const struct capacity *c = &x->capacity;
	int found = c->verdict == CAPACITY_FOUND;
	int has_clients = c->clients && found;
	money_figures(x, v);
	search_figures(c, v);
	v[FIGURE_REQUEST_RATE] = c->request_rate;
	v[FIGURE_REQUEST_RATE_LOW] = c->low;
	v[FIGURE_REQUEST_RATE_HIGH] = c->high;
	v[FIGURE_HALF_WIDTH] = capacity_half_width(c);
	v[FIGURE_RATE_SCALE] = c->scale;
	v[FIGURE_OUTPUT_THROUGHPUT] =
	    found ? c->output_throughput : (double)NAN;
	v[FIGURE_SESSION_RATE] =
	    c->turns > 1 ? c->request_rate / c->turns : (double)NAN;
	v[FIGURE_MEAN_TURNS] = c->turns;
	v[FIGURE_PEAK_RATE] = c->peak_rate;
	v[FIGURE_RECOVERY_RATE] = c->recovery_rate;
	v[FIGURE_HIT_RATE] = c->seen.hit_rate;
	v[FIGURE_REPLICAS_RECOVERY] =
	    c->units_recovery ? (double)c->units_recovery * x->replicas_per_unit
			      : (double)NAN;
	v[FIGURE_CLIENTS] = has_clients ? (double)c->clients : NAN;
	v[FIGURE_CLIENTS_LOW] = has_clients ? (double)c->clients_low : NAN;
	v[FIGURE_CLIENTS_HIGH] = has_clients ? (double)c->clients_high : NAN;
}
