/* explain.c -- Explains the difference between the first arm of a study and
 * each other arm, in jobs. */
#include "study/explain.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arm/run.h"
#include "cost/steps.h"
#include "engine/equal_schedules.h"

/* Relative difference from which a step counts as different. */
#define PARTING 0.01

struct explain_task {
	const struct explain *e;
	const struct explanation *pair;
};

/* ---- one pair, in its job ---- */

static int pool_routes_differ(const struct engine *a, const struct engine *b,
			      uint32_t pool)
{
	const struct engine *as = engine_of_pool(a, pool),
			    *bs = engine_of_pool(b, pool);
	return as->routing != bs->routing ||
	       memcmp(&as->router, &bs->router, sizeof as->router) != 0;
}

static int routes_differ(const struct engine *a, const struct engine *b)
{
	return a->replicas > 1 && b->replicas > 1 &&
	       (pool_routes_differ(a, b, 0) || pool_routes_differ(a, b, 1));
}

static int attribute_pair(struct job *j, struct arm *by, void *ctx,
			  struct problem *p)
{
	const struct explain_task *t = j->user;
	struct arm *of = ctx;
	struct explained *out = j->shared;
	struct attribution_task task = {
	    .steps = &t->e->steps[t->pair->of],
	    .requests = &t->e->requests[t->pair->of],
	    .engine = &of->engine,
	    .threshold = PARTING,
	};
	arm_run_costs(of, task.a);
	arm_run_costs(by, task.b);
	const char *key = engine_difference(&of->engine, &by->engine);
	snprintf(out->schedule_key, sizeof out->schedule_key, "%s",
		 key ? key : "");
	arm_keys_differ(out->set_keys, of, by);
	out->routes_differ = (uint32_t)routes_differ(&of->engine, &by->engine);
	return attribute(&task, &out->x, p);
}

static int with_other(struct job *j, struct arm *of, void *ctx,
		      struct problem *p)
{
	const struct explain_task *t = j->user;
	(void)ctx;
	return arm_run(j, t->e->study->results.config, t->pair->by, NULL,
		       attribute_pair, of, p);
}

static int run_pair(struct job *j, struct problem *p)
{
	const struct explain_task *t = j->user;
	return arm_run(j, t->e->study->results.config, t->pair->of, NULL,
		       with_other, NULL, p);
}

/* ---- all of them ---- */

static int map_logs(struct explain *e, struct problem *p)
{
	const struct study *s = e->study;
	for (size_t i = 0; i < s->n; i++)
		if (!s->arm[i].error &&
		    (steplog_map(&e->steps[i],
				 s->job[i].stream[STREAM_LOG_STEPS], p) < 0 ||
		     steplog_map(&e->requests[i],
				 s->job[i].stream[STREAM_LOG_REQUESTS], p) < 0))
			return -1;
	return 0;
}

static void add_pair(struct explain *e, size_t of, size_t by)
{
	const struct study *s = e->study;
	struct explanation *x = &e->pair[e->n];
	*x = (struct explanation){.of = of, .by = by, .steps = &e->steps[of]};
	e->task[e->n] = (struct explain_task){.e = e, .pair = x};
	e->job[e->n] = (struct job){.name = s->arm[by].name,
				    .plugin = s->arm[by].record->plugin,
				    .user = &e->task[e->n],
				    .given = e->steps[of].map,
				    .given_bytes = e->steps[of].bytes};
	e->n++;
}

/* Returns 1 if the arm has latencies, and a log of their steps. */
static int logged(const struct study *s, size_t arm)
{
	return arm_has_latencies(&s->arm[arm]) && !s->arm[arm].record->log_cut;
}

static void add_both(struct explain *e, size_t of, size_t by)
{
	if (!logged(e->study, of) || !logged(e->study, by))
		return;
	add_pair(e, of, by);
	add_pair(e, by, of);
}

static int make_pairs(struct explain *e, const size_t *pair, struct problem *p)
{
	const struct study *s = e->study;
	size_t room = 2 * s->n;
	e->pair = arrays_add(&e->arrays, room, sizeof *e->pair);
	e->task = arrays_add(&e->arrays, room, sizeof *e->task);
	e->job = arrays_add(&e->arrays, room, sizeof *e->job);
	e->steps = arrays_add(&e->arrays, s->n, sizeof *e->steps);
	e->requests = arrays_add(&e->arrays, s->n, sizeof *e->requests);
	if (e->arrays.out_of_memory)
		return problem_no_memory(p);
	if (map_logs(e, p) < 0)
		return -1;
	for (size_t i = 1; i < s->n; i++)
		add_both(e, 0, i);
	if (pair && pair[0] && pair[1])
		add_both(e, pair[0], pair[1]);
	return 0;
}

/* Returns the mean of a latency in an arm's own run. */
static double own_ns(const struct explain *e, size_t arm, int metric)
{
	const struct outcome *o = &e->study->arm[arm].record->outcome;
	return metric == ATTRIBUTION_TTFT   ? o->ttft.mean
	       : metric == ATTRIBUTION_TPOT ? o->tpot.mean
					    : o->e2el.mean;
}

/* back: the pair with the roles exchanged; NULL: not available. */
static struct shares share_out(const struct explain *e,
			       const struct explanation *x,
			       const struct attribution *back, int m)
{
	struct shares s = {
	    .real_ns = own_ns(e, x->by, m) - own_ns(e, x->of, m),
	    .cost_model_ns = x->x->difference_ns[m],
	    .uncertainty_ns = NAN,
	};
	memcpy(s.component_ns, x->x->component_ns[m], sizeof s.component_ns);
	if (back) {
		double there = x->x->difference_ns[m];
		double again = -back->difference_ns[m];
		s.cost_model_ns = (there + again) / 2;
		s.uncertainty_ns = fabs(there - again) / 2;
		for (int k = 0; k < N_COMPONENTS; k++)
			s.component_ns[k] =
			    (s.component_ns[k] - back->component_ns[m][k]) / 2;
	}
	s.feedback_ns = s.real_ns - s.cost_model_ns;
	return s;
}

/* Splits the latencies of the arms of each pair with different engines. */
static int run_split(struct explain *e, struct problem *p)
{
	char *wanted = calloc(e->study->n, 1);
	if (!wanted)
		return problem_no_memory(p);
	for (size_t i = 0; i < e->n; i++)
		if (e->pair[i].schedule_key)
			wanted[e->pair[i].of] = wanted[e->pair[i].by] = 1;
	int rc =
	    split_run(&e->split, e->study, wanted, e->steps, e->requests, p);
	free(wanted);
	for (size_t i = 0; rc == 0 && i < e->n; i++)
		if (e->pair[i].schedule_key) {
			e->pair[i].split_of = e->split.arm[e->pair[i].of];
			e->pair[i].split_by = e->split.arm[e->pair[i].by];
		}
	return rc;
}

/* Takes the results of the jobs, and splits each difference into cost model,
 * uncertainty and feedback. */
static void collect(struct explain *e)
{
	for (size_t i = 0; i < e->n; i++) {
		struct explanation *x = &e->pair[i];
		const struct explained *is = e->job[i].shared;
		x->error = e->job[i].complaint;
		x->x = &is->x;
		x->schedule_key = *is->schedule_key ? is->schedule_key : NULL;
		x->set_keys = is->set_keys;
		x->routes_differ = (int)is->routes_differ;
	}
	for (size_t i = 0; i < e->n; i++) {
		struct explanation *x = &e->pair[i];
		const struct explanation *back = &e->pair[i ^ 1];
		for (int m = 0; m < ATTRIBUTION_STEPS; m++) {
			x->shares[m].real_ns =
			    own_ns(e, x->by, m) - own_ns(e, x->of, m);
			if (x->error)
				continue;
			x->feedback_ns[m] = own_ns(e, x->by, m) -
					    x->x->recorded_ns[m] -
					    x->x->difference_ns[m];
			x->shares[m] =
			    share_out(e, x, back->error ? NULL : back->x, m);
		}
	}
}

int explain_run(struct explain *e, const struct study *s, const size_t *pair,
		struct problem *p)
{
	*e = (struct explain){.study = s};
	if (make_pairs(e, pair, p) < 0)
		return -1;
	struct jobs_options how = s->how;
	how.shared_bytes = sizeof(struct explained);
	how.live_bytes = 0;
	how.progress = NULL;
	if (jobs_run(&e->arms, e->job, e->n, run_pair, &how, p) < 0 ||
	    jobs_if_machine_failed(&e->arms, p) < 0)
		return -1;
	collect(e);
	return run_split(e, p);
}

int explain_code(const struct explain *e)
{
	int pairs = jobs_code(&e->arms), arms = split_code(&e->split);
	return pairs > arms ? pairs : arms;
}

void explain_free(struct explain *e)
{
	for (size_t i = 0; e->study && i < e->study->n; i++) {
		if (e->steps)
			steplog_unmap(&e->steps[i]);
		if (e->requests)
			steplog_unmap(&e->requests[i]);
	}
	split_free(&e->split);
	jobs_free(&e->arms);
	arrays_free(&e->arrays);
	*e = (struct explain){0};
}

struct equal_steps explain_equal(const struct explain *e, size_t i)
{
	struct equal_steps all = {0};
	for (size_t k = i & ~(size_t)1; k <= (i | 1) && k < e->n; k++)
		if (!e->pair[k].error)
			equal_steps_join(&all, &e->pair[k].x->equal);
	return all;
}

int explain_are_one(const struct explain *e, const struct explanation *x)
{
	const struct equal_steps all = explain_equal(e, (size_t)(x - e->pair));
	return !x->error && !x->schedule_key && !x->routes_differ &&
	       equal_steps_are_one(&all);
}

int explain_prices_differ(const struct explanation *x)
{
	for (int m = 0; m < ATTRIBUTION_STEPS && !x->error; m++)
		for (int k = 0; k < N_COMPONENTS; k++)
			if (x->shares[m].component_ns[k] != 0)
				return 1;
	return 0;
}

/* ---- causes ---- */

const struct cause explain_phase[PHASES] = {
    {"prefill", COMPONENT_PREFILL_GEMM, COMPONENT_PREFILL_MEMORY, 0, 0},
    {"decode", COMPONENT_DECODE_GEMM, COMPONENT_DECODE_MEMORY, 0, 0},
    {"communication", COMPONENT_COMMUNICATION, COMPONENT_COMMUNICATION, 0, 0},
    {"overhead", COMPONENT_OVERHEAD, COMPONENT_OVERHEAD, 0, 0},
    {"other", COMPONENT_OTHER, COMPONENT_OTHER, 0, 0},
    {"rounding", COMPONENT_ROUNDING, COMPONENT_ROUNDING, 0, 0},
};

double explain_sum(const struct cause *c, const double ns[N_COMPONENTS])
{
	double sum = 0;
	for (int k = (int)c->first; k <= (int)c->last; k++)
		sum += ns[k];
	return sum;
}

int explain_is_opposed(const struct cause *c, const double ns[N_COMPONENTS])
{
	double all = explain_sum(c, ns), against = 0;
	for (int k = (int)c->first; k <= (int)c->last; k++)
		if (ns[k] * all <= 0)
			against += fabs(ns[k]);
	return against > 0.1 * fabs(all);
}

static int larger_first(const void *x, const void *y)
{
	const struct cause *a = x, *b = y;
	double da = fabs(a->ns), db = fabs(b->ns);
	if (da != db)
		return da < db ? 1 : -1;
	return (int)a->first - (int)b->first;
}

size_t explain_causes(const double ns[N_COMPONENTS], struct cause to[CAUSES])
{
	size_t n = 0;
	for (size_t i = 0; i < PHASES; i++) {
		struct cause c = explain_phase[i];
		c.ns = explain_sum(&c, ns);
		if (explain_is_opposed(&c, ns)) {
			if (c.ns != 0)
				to[n++] = c;
			continue;
		}
		for (int k = (int)c.first; k <= (int)c.last; k++)
			if (ns[k] != 0)
				to[n++] = (struct cause){
				    component_name[k], (enum component)k,
				    (enum component)k, ns[k], 0};
	}
	double same_way[2] = {0, 0};
	for (size_t i = 0; i < n; i++)
		same_way[to[i].ns < 0] += fabs(to[i].ns);
	for (size_t i = 0; i < n; i++)
		to[i].share = fabs(to[i].ns) / same_way[to[i].ns < 0];
	qsort(to, n, sizeof *to, larger_first);
	return n;
}

struct cause explain_cause(const struct attribution *x, int metric)
{
	struct cause all[CAUSES];
	size_t n = explain_causes(x->component_ns[metric], all);
	for (size_t i = 0; i < n; i++)
		if (all[i].ns * x->difference_ns[metric] > 0)
			return all[i];
	return n ? all[0] : explain_phase[0];
}

void explain_step(FILE *f, const struct steplog *steps, uint64_t place)
{
	struct logged_step s;
	size_t at = 0;
	for (uint64_t i = 0; steplog_next_step(steps, &at, &s); i++)
		if (i == place) {
			steps_write_row(f, &s.step);
			return;
		}
}
