/* run.c -- Simulates a workload once at some rate. */
#include <config.h>
#include "capacity/run.h"
#include <math.h>
#include <stdlib.h>
#include "engine/engine.h"
#include "math/rng.h"

uint64_t run_seed(const struct workload_keys *k, uint32_t number)
{
	struct rng r = rng_stream((uint64_t)k->seed, RNG_REPLICATION, number);
	return rng_next(&r) >> 11; /* as large as a seed of an INI may be */
}

static void say(FILE *f, const struct workload *w, const struct outcome *o)
{
	const char *line;
	for (uint32_t i = 0; (line = workload_note(w, i)) != NULL; i++)
		fprintf(f, "%s\n", line);
	rejections_write(&o->rejections, f);
}

/* The window of sessions that count.  A trace is one draw, too precious to
 * leave out more than its beginning. */
static struct excess_of counted(const struct capacity_task *t,
				const struct rated *rated, double rate,
				const struct workload *w, int keeps_ends)
{
	uint64_t turns = (uint64_t)rated->keys->turns;
	uint64_t requests = workload_total(w);
	if (rated->is_timed)
		return (struct excess_of){
		    .bounds = t->bounds,
		    .slo = &t->engine->slo,
		    .requests = requests,
		    .turns = 1,
		    .first = requests / 50,
		    .end = requests,
		    .begins_ns =
			llround((double)rated->first_ns * rated->base / rate),
		    .stretched_ns = llround((double)requests / rate * 1e9)};
	uint64_t sessions = requests / turns, first = sessions / 10;
	/* The clients of a closed loop all begin at once. */
	if (rated->is_closed && first < 4 * (uint64_t)rate)
		first = 4 * (uint64_t)rate;
	return (struct excess_of){.bounds = t->bounds,
				  .slo = &t->engine->slo,
				  .requests = requests,
				  .turns = turns,
				  .first = first,
				  .end = sessions - sessions / 20,
				  .keeps_ends = keeps_ends};
}

static void conclude(const struct capacity_task *t, const struct outcome *o,
		     struct run_result *out)
{
	struct capacity_run *r = &out->run;
	r->requests = o->requests;
	r->completed = o->completed;
	r->rejected = o->rejected;
	r->output_throughput =
	    metric_value(metric_find("output_throughput"), o);
	r->joules_per_token =
	    metric_value(metric_find("energy_per_token_j"), o);
	out->unfinished = o->unfinished;
	out->is_overloaded = o->saturation == SATURATION_OVERLOADED;
	out->load = trusted_load_of(o);
	for (uint32_t i = 0; i < t->bounds->n; i++) {
		r->value[i] = metric_value(t->bounds->bound[i].metric, o);
		r->excess[i] = excess_mean(&out->excess.bound[i]);
		if (r->excess[i] > out->worst) {
			out->worst = r->excess[i];
			out->worst_bound = i;
		}
	}
	out->lives_s = excess_mean(&out->excess.life_s);
}

static int simulate_counted(const struct capacity_task *t, struct workload *w,
			    FILE *said, struct run_result *out,
			    struct problem *p)
{
	struct observer o = excess_observer(&out->excess);
	struct outcome *sum = calloc(1, sizeof *sum);
	if (!sum)
		return problem_no_memory(p);
	int rc = simulate(t->engine, t->cost, w, &o, t->step_memory, sum, p);
	if (rc == 0) {
		excess_end(&out->excess, sum);
		conclude(t, sum, out);
		if (said)
			say(said, w, sum);
	}
	free(sum);
	return rc;
}

int run_simulate(const struct capacity_task *t, struct rated *rated,
		 const struct run_of *of, struct run_result *out,
		 struct problem *p)
{
	struct workload_keys keys;
	uint64_t requests, seed = run_seed(t->workload, of->number);
	*out = (struct run_result){
	    .run = {.log_rate = log(of->rate), .number = of->number}};
	if (isinf(of->rate))
		rated_at_once(rated, of->requests, seed, &keys, &requests);
	else if (rated_at(rated, of->rate, of->requests, seed, &keys, &requests,
			  p) < 0)
		return -1;
	struct workload *w = workload_open_with(&keys, t->cfg, t->traces, p);
	if (!w)
		return -1;
	if (isinf(of->rate))
		workload_send_at_once(w);
	int rc = rated->is_retimed
		     ? workload_begin_at(w,
					 rated_begin(rated, of->number,
						     run_seed(t->workload, 0)),
					 requests, p)
		     : 0;
	const struct excess_of e =
	    counted(t, rated, of->rate, w, of->keeps_ends);
	double share = (double)e.first * (double)e.turns / (double)e.requests;
	if (rc == 0)
		rc = excess_begin(&out->excess, &e, p);
	if (rc == 0)
		rc = simulate_counted(t, w, of->said, out, p);
	if (rc == 0 && rated->is_closed)
		out->run.requests_per_s =
		    excess_throughput(&out->excess, share, 0.95);
	workload_free(w);
	return rc;
}
