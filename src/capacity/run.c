/* run.c -- Simulates a workload once at some rate. */
#include "capacity/run.h"
#include <math.h>
#include <stdlib.h>
#include "math/rng.h"

uint64_t run_seed(const struct workload_keys *k, uint32_t number)
{
	struct rng r = rng_stream((uint64_t)k->seed, RNG_REPLICATION, number);
	return rng_next(&r) >> 11; /* as large as a seed of an INI may be */
}

double run_excess(const struct capacity_run *r, uint32_t bound)
{
	double y = fmin(r->excess[bound], EXCESS_MOST);
	return r->grows ? fmax(y, EXCESS_OF_GROWTH) : y;
}

double run_worst(const struct capacity_run *r, const struct bounds *b)
{
	double worst = 0;
	for (uint32_t i = 0; i < b->n; i++)
		worst = fmax(worst, run_excess(r, i));
	return worst;
}

void run_notes(FILE *f, const struct workload *w, const struct outcome *o)
{
	const char *line;
	for (uint32_t i = 0; (line = workload_note(w, i)) != NULL; i++)
		fprintf(f, "%s\n", line);
	rejections_write(&o->rejections, f);
}

/* A trace is one draw, too precious to leave out more than its beginning. */
static struct excess_of counted_of_trace(const struct capacity_task *t,
					 const struct rated *rated,
					 const struct run_of *of,
					 uint64_t requests)
{
	return (struct excess_of){
	    .bounds = t->bounds,
	    .slo = &t->engine->slo,
	    .requests = requests,
	    .turns = 1,
	    .first = of->is_part ? 0.1 : 0.02,
	    .begins_ns =
		llround((double)rated->first_ns * rated->base / of->rate),
	    .stretched_ns = llround((double)requests / of->rate * 1e9),
	    .stops_early = of->stops_early};
}

/* Says which requests of a run count: not the first and the last ones. */
static struct excess_of counted(const struct capacity_task *t,
				const struct rated *rated,
				const struct run_of *of,
				const struct workload *w)
{
	uint64_t requests = of->is_part ? of->part.n : workload_total(w);
	if (rated->is_timed)
		return counted_of_trace(t, rated, of, requests);
	double left_out = of->from_s > 0 && !of->is_once
			      ? of->from_s * of->rate / (double)of->requests
			      : 0;
	return (struct excess_of){
	    .bounds = t->bounds,
	    .slo = &t->engine->slo,
	    .requests = requests,
	    .turns = (uint64_t)rated->keys->turns,
	    .first = of->is_once ? 0 : 0.1,
	    /* This share refers to the requests after from_s. */
	    .last = 0.05 * fmax(1 - left_out, 0),
	    /* The clients of a closed loop all begin at once. */
	    .least_first = rated->is_closed ? 4 * (uint64_t)of->rate : 0,
	    .from_ns = llround(of->from_s * 1e9),
	    .cycle_ns = isinf(of->rate) || of->is_once ? 0 : rated->now_ns};
}

/* Fills in the result of a run from its outcome. */
static void conclude(const struct capacity_task *t, const struct outcome *o,
		     struct run_result *out)
{
	struct capacity_run *r = &out->run;
	const struct excess *x = &out->excess;
	r->requests = o->requests;
	r->completed = o->completed;
	r->rejected = o->rejected;
	r->grows = x->grows || o->unfinished > 0;
	r->hit_rate = x->prompts ? (double)x->cached / (double)x->prompts : 0;
	r->requests_per_s = x->completed_per_s;
	r->joules_per_token =
	    metric_value(metric_find("energy_per_token_j"), o);
	out->rate = x->counted_per_s;
	out->unfinished = o->unfinished;
	out->load = trusted_load_of(o);
	for (uint32_t i = 0; i < t->bounds->n; i++) {
		r->value[i] = metric_value(t->bounds->bound[i].metric, o);
		r->excess[i] = excess_mean(&x->bound[i]);
		if (r->excess[i] > out->worst) {
			out->worst = r->excess[i];
			out->worst_bound = i;
		}
	}
	out->lifetime_s = excess_mean(&x->life_s);
}

/* The run was stopped when a bound was exceeded for certain.  Its excess is the
 * mean of the requests until then. */
static void conclude_cut(struct run_result *out)
{
	struct excess *x = &out->excess;
	out->was_cut = 1;
	out->worst_bound = (uint32_t)x->stopped_by;
	out->worst = excess_mean(&x->bound[x->stopped_by]);
	out->run.excess[x->stopped_by] = out->worst;
	out->run.requests = x->arrived;
}

static int simulate_counted(const struct capacity_task *t, struct workload *w,
			    FILE *said, struct run_result *out,
			    struct problem *p)
{
	struct observer o = excess_observer(&out->excess);
	struct outcome *sum = calloc(1, sizeof *sum);
	struct problem why;
	if (!sum)
		return problem_no_memory(p);
	int rc = simulate(t->engine, t->cost, w, &o, t->step_memory, sum, &why);
	if (rc == 0)
		rc = excess_end(&out->excess, sum, &why);
	if (rc == 0) {
		conclude(t, sum, out);
		if (said)
			run_notes(said, w, sum);
	} else if (out->excess.stopped_by >= 0) {
		conclude_cut(out);
		rc = 0;
	} else {
		problem_set(p, why.code, "%s", why.text);
	}
	free(sum);
	return rc;
}

/* Opens rows of a trace: those before them are taken and dropped. */
static int open_part(const struct capacity_task *t,
		     const struct workload_keys *keys,
		     const struct run_part *part, struct workload **w,
		     struct problem *p)
{
	struct workload_keys k = *keys;
	struct request q;
	int64_t at_ns;
	k.num_requests = (int64_t)(part->first + part->n);
	*w = workload_open_with(&k, t->cfg, t->traces, p);
	if (!*w)
		return -1;
	for (uint64_t i = 0; i < part->first; i++)
		if (workload_peek(*w, &at_ns, p) < 0 ||
		    workload_pop(*w, &q, p) < 0)
			return -1;
	return 0;
}

static int open_workload(const struct capacity_task *t, struct rated *rated,
			 const struct run_of *of, struct workload **w,
			 struct problem *p)
{
	struct workload_keys keys;
	uint64_t requests, seed = run_seed(t->workload, of->number);
	if (of->is_once)
		rated_once(rated, seed, &keys, &requests);
	else if (isinf(of->rate))
		rated_at_once(rated, of->requests, seed, &keys, &requests);
	else if (rated_at(rated, of->rate, of->requests, seed, &keys, &requests,
			  p) < 0)
		return -1;
	if (of->is_part)
		return open_part(t, &keys, &of->part, w, p);
	*w = workload_open_with(&keys, t->cfg, t->traces, p);
	if (!*w)
		return -1;
	if (isinf(of->rate))
		workload_send_at_once(*w);
	return rated->is_retimed
		   ? workload_begin_at(*w,
				       rated_begin(rated, of->number,
						   run_seed(t->workload, 0)),
				       requests, p)
		   : 0;
}

int run_simulate(const struct capacity_task *t, struct rated *rated,
		 const struct run_of *of, struct run_result *out,
		 struct problem *p)
{
	struct workload *w = NULL;
	*out = (struct run_result){
	    .run = {.log_rate = log(of->rate), .number = of->number}};
	int rc = open_workload(t, rated, of, &w, p);
	if (rc == 0) {
		const struct excess_of e = counted(t, rated, of, w);
		rc = excess_begin(&out->excess, &e, p);
	}
	if (rc == 0)
		rc = simulate_counted(t, w, of->said, out, p);
	workload_free(w);
	return rc;
}
