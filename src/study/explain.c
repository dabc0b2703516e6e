/* explain.c -- Explains the first arm of a study against each of the others,
 * in jobs. */
#include <config.h>
#include "study/explain.h"
#include <math.h>
#include <stdlib.h>
#include "arm/run.h"
#include "cost/steps.h"

/* From this relative difference on, two models part. */
#define PARTING 0.01

struct explain_task {
	const struct explain *e;
	const struct explanation *pair;
};

/* ---- one pair, in its job ---- */

static int attribute_pair(struct job *j, struct arm *by, void *ctx,
			  struct problem *p)
{
	const struct explain_task *t = j->user;
	struct arm *of = ctx;
	struct attribution_task task = {
	    .steps = &t->e->steps[t->pair->of],
	    .requests = &t->e->requests[t->pair->of],
	    .prefill_replicas = of->engine.prefill_replicas,
	    .schedule_ns = of->engine.schedule_ns,
	    .threshold = PARTING,
	};
	arm_run_costs(of, task.a);
	arm_run_costs(by, task.b);
	return attribute(&task, j->shared, p);
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
				    .user = &e->task[e->n],
				    .given = e->steps[of].map,
				    .given_bytes = e->steps[of].bytes};
	e->n++;
}

static int logged(const struct study *s, size_t arm)
{
	return !s->arm[arm].error && !s->arm[arm].record->log_cut;
}

static int make_pairs(struct explain *e, struct problem *p)
{
	const struct study *s = e->study;
	e->pair = calloc(2 * s->n, sizeof *e->pair);
	e->task = calloc(2 * s->n, sizeof *e->task);
	e->job = calloc(2 * s->n, sizeof *e->job);
	e->steps = calloc(s->n, sizeof *e->steps);
	e->requests = calloc(s->n, sizeof *e->requests);
	if (!e->pair || !e->task || !e->job || !e->steps || !e->requests)
		return problem_set(p, EXIT_USAGE, "out of memory");
	if (map_logs(e, p) < 0)
		return -1;
	for (size_t i = 1; i < s->n; i++)
		if (logged(s, 0) && logged(s, i)) {
			add_pair(e, 0, i);
			add_pair(e, i, 0);
		}
	return 0;
}

static void collect(struct explain *e)
{
	for (size_t i = 0; i < e->n; i++) {
		struct explanation *x = &e->pair[i];
		const struct outcome *own =
		    &e->study->arm[x->by].record->outcome;
		const double closed[] = {[ATTRIBUTION_TTFT] = own->ttft.mean,
					 [ATTRIBUTION_TPOT] = own->tpot.mean,
					 [ATTRIBUTION_E2EL] = own->e2el.mean};
		x->error = e->job[i].complaint;
		x->x = e->job[i].shared;
		for (int m = 0; m < ATTRIBUTION_STEPS && !x->error; m++)
			x->feedback_ns[m] = closed[m] - x->x->openloop_ns[m];
	}
}

int explain_run(struct explain *e, const struct study *s, struct problem *p)
{
	*e = (struct explain){.study = s};
	if (make_pairs(e, p) < 0)
		return -1;
	struct jobs_options how = s->how;
	how.shared_bytes = sizeof(struct attribution);
	how.progress = NULL;
	if (jobs_run(&e->arms, e->job, e->n, run_pair, &how, p) < 0)
		return -1;
	collect(e);
	return 0;
}

int explain_code(const struct explain *e)
{
	int code = EXIT_DONE;
	for (size_t i = 0; i < e->n; i++)
		if (e->job[i].problem->code > code)
			code = e->job[i].problem->code;
	return code;
}

void explain_free(struct explain *e)
{
	for (size_t i = 0; e->study && i < e->study->n; i++) {
		if (e->steps)
			steplog_unmap(&e->steps[i]);
		if (e->requests)
			steplog_unmap(&e->requests[i]);
	}
	jobs_free(&e->arms);
	free(e->pair);
	free(e->task);
	free(e->job);
	free(e->steps);
	free(e->requests);
	*e = (struct explain){0};
}

/* ---- what it says ---- */

/* The phases, and what belongs to none. */
static const struct cause group[] = {
    {"prefill", COMPONENT_PREFILL_GEMM, COMPONENT_PREFILL_MEMORY, 0, 0},
    {"decode", COMPONENT_DECODE_GEMM, COMPONENT_DECODE_MEMORY, 0, 0},
    {"communication", COMPONENT_COMMUNICATION, COMPONENT_COMMUNICATION, 0, 0},
    {"overhead", COMPONENT_OVERHEAD, COMPONENT_OVERHEAD, 0, 0},
    {"other", COMPONENT_OTHER, COMPONENT_OTHER, 0, 0},
    {"rounding", COMPONENT_ROUNDING, COMPONENT_ROUNDING, 0, 0},
};

/* The component that alone is it: the others are no part of it, or small. */
static void narrow(struct cause *c, const double *ns)
{
	int largest = (int)c->first;
	double against = 0;
	for (int k = (int)c->first; k <= (int)c->last; k++) {
		if (fabs(ns[k]) > fabs(ns[largest]))
			largest = k;
		if (ns[k] * c->ns < 0)
			against += fabs(ns[k]);
	}
	if (against > 0.1 * fabs(c->ns) || ns[largest] * c->ns < 0)
		return;
	c->name = component_name[largest];
	c->first = c->last = (enum component)largest;
	c->ns = ns[largest];
}

struct cause explain_cause(const struct attribution *x, int metric)
{
	const double *ns = x->component_ns[metric];
	double all = x->openloop_ns[metric] - x->recorded_ns[metric];
	struct cause best = group[0];
	double most = -INFINITY;
	for (size_t i = 0; i < sizeof group / sizeof *group; i++) {
		struct cause c = group[i];
		for (int k = (int)c.first; k <= (int)c.last; k++)
			c.ns += ns[k];
		double along = all < 0 ? -c.ns : c.ns;
		if (along > most) {
			most = along;
			best = c;
		}
	}
	narrow(&best, ns);
	best.share = all != 0 ? best.ns / all : 0;
	return best;
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
