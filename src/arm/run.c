/* run.c -- Runs an arm inside a job: opens, guards, uses and closes it. */
#include "arm/run.h"
#include <stdlib.h>
#include "engine/keys/defaults.h"
#include "engine/keys/fill.h"
#include "engine/parallel.h"
#include "engine/resolve.h"
#include "sim/simulation.h"

/* ---- one arm ---- */

/* Puts guards around the instances of a pool. */
static int install(struct arm_at_work *w, struct arm *a, int pool,
		   struct watch *watch, struct problem *p)
{
	if (guard_install(&w->guard[pool], &a->cost, watch, p) < 0)
		return -1;
	return a->drafter ? guard_install(&w->drafter_guard[pool],
					  &a->drafter->cost, watch, p)
			  : 0;
}

int arm_work_create(struct arm_at_work *w, struct watch *watch,
		    struct problem *p)
{
	struct arm *a = &w->arm;
	if (arm_create(a, watch, p) < 0 || install(w, a, 0, watch, p) < 0)
		return -1;
	return a->decode ? install(w, a->decode, 1, watch, p) : 0;
}

void arm_work_destroy(struct arm_at_work *w)
{
	/* Instances first, because they are called through their guards. */
	arm_destroy(&w->arm);
	for (int pool = 0; pool < 2; pool++) {
		guard_free(&w->guard[pool]);
		guard_free(&w->drafter_guard[pool]);
	}
}

int arm_work_look(struct arm_at_work *w, struct problem *p)
{
	if (watch_look(w->arm.watch) == 0)
		return 0;
	*p = w->arm.watch->violation;
	return -1;
}

void arm_work_close(struct arm_at_work *w)
{
	arm_work_destroy(w);
	arm_close(&w->arm);
}

int arm_run(struct job *j, const struct config *c, size_t i,
	    const sc_host *host, arm_fn work, void *ctx, struct problem *p)
{
	struct arm_at_work *w = calloc(1, sizeof *w);
	if (!w)
		return problem_no_memory(p);
	int rc = arm_prepare(&w->arm, c, i, host, p);
	if (rc == 0)
		rc = arm_work_create(w, j->watch, p);
	if (rc == 0)
		rc = work(j, &w->arm, ctx, p);
	arm_work_close(w);
	free(w);
	return rc;
}

/* Computes the largest engine that an arm can have, for a pool. */
static int bound(struct engine *e, const struct config *c, size_t i,
		 const char *pool)
{
	struct engine_keys k;
	struct problem none;
	const struct engine_source from = config_engine_source(c, i, pool);
	if (engine_keys_fill(&k, &from, &none) < 0)
		return -1;
	engine_keys_bound(&k, &from);
	sc_parallel split = parallel_of(&k, &c->model);
	*e = engine_sized(&k, &split);
	return 0;
}

static size_t step_bytes_of(const struct config *c, size_t i)
{
	struct engine e, decode;
	struct problem none;
	size_t index;
	if (bound(&e, c, i, config_pool(c, i, 0)) < 0)
		return 0;
	if (config_pool(c, i, 0)) {
		if (config_decode_arm(c, i, &index, &none) < 0 ||
		    bound(&decode, c, index, config_pool(c, i, 1)) < 0)
			return 0;
		e.prefill_replicas = e.replicas;
		e.replicas += decode.replicas;
		e.decode = &decode;
	}
	return simulation_step_bytes(&e);
}

size_t arm_run_step_bytes(const struct config *c)
{
	size_t most = 0;
	for (size_t i = 0; i < c->n_arms; i++) {
		size_t bytes = step_bytes_of(c, i);
		most = bytes > most ? bytes : most;
	}
	return most;
}

void arm_run_costs(struct arm *a, struct cost *cost[2])
{
	cost[0] = &a->cost;
	cost[1] = a->decode ? &a->decode->cost : &a->cost;
}

/* ---- all arms ---- */

struct arm_job {
	const struct config *config;
	size_t arm;
	const sc_host *host;
	arm_fn work;
	void *ctx;
};

static int run_one(struct job *j, struct problem *p)
{
	const struct arm_job *t = j->user;
	sc_host host = t->host ? *t->host : (sc_host){0};
	if (!host.ctx)
		host.ctx = j->stream[0];
	return arm_run(j, t->config, t->arm, t->host ? &host : NULL, t->work,
		       t->ctx, p);
}

int arms_run_all(struct arms_at_work *a, const struct config *c,
		 const sc_host *host, arm_fn work, void *ctx,
		 const struct jobs_options *how, struct problem *p)
{
	a->n = c->n_arms;
	a->job = calloc(a->n, sizeof *a->job);
	a->task = calloc(a->n, sizeof *a->task);
	if (!a->job || !a->task)
		return problem_no_memory(p);
	for (size_t i = 0; i < a->n; i++) {
		a->task[i] = (struct arm_job){c, i, host, work, ctx};
		a->job[i].name = c->arm[i].name;
		a->job[i].plugin = c->arm[i].plugin;
		a->job[i].user = &a->task[i];
		a->job[i].wanted_streams = host && !host->ctx;
	}
	return jobs_run(&a->arms, a->job, a->n, run_one, how, p);
}

int arms_run_worked(const struct arms_at_work *a)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->job[i].problem->code == EXIT_DONE)
			return 1;
	return 0;
}

void arms_run_free(struct arms_at_work *a)
{
	jobs_free(&a->arms);
	free(a->job), free(a->task);
	*a = (struct arms_at_work){0};
}
