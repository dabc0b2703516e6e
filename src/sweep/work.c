/* work.c -- Computes one row of a sweep. */
#include "sweep/work.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arm/arm_gpus.h"
#include "arm/run.h"
#include "base/clock.h"
#include "record/metrics.h"
#include "sim/simulation.h"
#include "capacity/answer.h"
#include "sweep/prepared_arm.h"
#include "sweep/key.h"

/* State of a worker that is kept from point to point. */
struct worker_state {
	struct prepared_arm prepared_arm; /* the first: prepared_arm_of() */
	const struct sweep_task *task;
	struct key_memory key_memory;
	struct outcome outcome;
};

/* ---- computing ---- */

static void take_notes(const struct workload *w, char out[STORE_WARNING])
{
	const char *line;
	for (uint32_t i = 0; (line = workload_note(w, i)) != NULL; i++)
		prepared_arm_warn(out, strlen(line), line);
}

static void cost_figures(const struct worker_state *b, double *v)
{
	const struct arm *a = &b->prepared_arm.work.arm;
	double gpus = (double)config_arm_gpus(a->config, a->index);
	double usd_per_hour = arm_usd_per_hour(a);
	v[COST_GPUS] = gpus;
	v[COST_OUTPUT_THROUGHPUT_PER_GPU] =
	    metric_value(metric_find("output_throughput"), &b->outcome) / gpus;
	v[COST_USD_PER_HOUR] =
	    usd_per_hour > 0 ? usd_per_hour * gpus : (double)NAN;
}

static void run_figures(const struct worker_state *b, struct sweep_answer *out)
{
	const struct outcome *o = &b->outcome;
	double *coverage = out->number + store_at_coverage(), sum = 0;
	for (size_t i = 0; i < n_metrics; i++)
		out->number[i] = metric_value(&metric[i], o);
	cost_figures(b, out->number + store_at_costs());
	for (int i = 0; i < COVERAGE_CLASSES; i++)
		sum += o->coverage_us[i];
	for (int i = 0; i < COVERAGE_CLASSES; i++)
		coverage[i] = sum > 0 ? o->coverage_us[i] / sum : NAN;
	snprintf(out->text[0], sizeof out->text[0], "%s",
		 saturation_name[o->saturation]);
}

static int simulate_with(struct worker_state *b,
			 const struct workload_keys *keys,
			 const struct observer *o, char warning[STORE_WARNING],
			 struct problem *p)
{
	struct arm *a = &b->prepared_arm.work.arm;
	struct cost *cost[2];
	void *memory = prepared_arm_step_memory(&b->prepared_arm, p);
	struct workload *w = memory ? workload_open_with(keys, &a->config->cfg,
							 b->task->traces, p)
				    : NULL;
	if (!w)
		return -1;
	arm_run_costs(a, cost);
	int rc = simulate(&a->engine, cost, w, o, memory, &b->outcome, p);
	if (warning)
		take_notes(w, warning);
	workload_free(w);
	return rc;
}

/* Runs once more before, where a rule finds the end of the warm-up. */
static int find_warm_up(struct worker_state *b,
			const struct workload_keys *keys, struct warm_up *cut,
			struct sweep_answer *out, struct problem *p)
{
	static const char unsteady[] =
	    "TTFT is not steady: run longer (--warm-up mser)";
	struct warm_up_series s = {0};
	const struct observer o = warm_up_observe(&s);
	int steady = 1, rc = simulate_with(b, keys, &o, NULL, p);
	if (rc == 0 && warm_up_find(&s, &cut->requests, &steady) < 0)
		rc = problem_no_memory(p);
	if (rc == 0 && !steady)
		prepared_arm_warn(out->warning, strlen(unsteady), unsteady);
	warm_up_free(&s);
	return rc;
}

static int run_once(struct worker_state *b, const struct workload_keys *keys,
		    struct sweep_answer *out, struct problem *p)
{
	const struct warm_up_rule *rule = b->task->warm_up;
	struct observer o = {.warm_up = rule->cut};
	if (rule->by_rule && find_warm_up(b, keys, &o.warm_up, out, p) < 0)
		return -1;
	if (simulate_with(b, keys, rule->text ? &o : NULL, out->warning, p) < 0)
		return -1;
	run_figures(b, out);
	return 0;
}

static void capacity_figures(const struct worker_state *b,
			     const struct capacity_answer *d,
			     struct sweep_answer *out)
{
	const struct sweep_task *t = b->task;
	const struct capacity *c = &d->capacity;
	size_t n = store_n_numbers(STORE_CAPACITY), at = store_at_latencies();
	answer_figures(d, out->number);
	for (size_t i = at; i < n; i++)
		out->number[i] = NAN;
	for (size_t i = 0; i < t->bounds->n; i++) {
		struct store_column column;
		const char *name = slo_bound_name(&t->bounds->bound[i]);
		for (size_t k = at; store_number(STORE_CAPACITY, k, &column);
		     k++)
			if (!strcmp(column.name, name))
				out->number[k] = c->seen.value[i];
	}
	snprintf(out->text[0], sizeof out->text[0], "%s",
		 capacity_verdict_name[c->verdict]);
	snprintf(out->text[1], sizeof out->text[1], "%s",
		 capacity_limited_by(c, t->bounds));
	snprintf(out->text[2], sizeof out->text[2], "%s",
		 capacity_stop_name[c->stopped_by]);
	snprintf(out->text[3], sizeof out->text[3], "%s",
		 capacity_basis_name[c->basis]);
}

/* Returns 1 if a point of the sweep says how many replicas there are. */
static int sets_fleet(const struct plan *l)
{
	for (size_t i = 0; i < l->n_axes; i++) {
		const char *key = l->axis[i].name + l->axis[i].dot + 1;
		if (!strcmp(key, "replicas") ||
		    !strcmp(key, "prefill_replicas"))
			return 1;
	}
	return 0;
}

/* Searches the capacity of a point. */
static int search(struct worker_state *b, const struct workload_keys *keys,
		  struct sweep_answer *out, struct problem *p)
{
	struct arm *a = &b->prepared_arm.work.arm;
	const struct capacity_ask ask = {
	    .bounds = b->task->bounds,
	    .workload = keys,
	    .traces = b->task->traces,
	    .rate = b->task->rate,
	    .is_given = sets_fleet(b->task->plan),
	    .skips_pessimistic = 1,
	    .precision = b->task->precision,
	    .confidence = SEARCH_CONFIDENCE,
	    .request_limit = SEARCH_REQUEST_LIMIT,
	    .step_memory = prepared_arm_step_memory(&b->prepared_arm, p),
	    .step_bytes = simulation_step_bytes(&a->engine),
	};
	if (!ask.step_memory)
		return -1;
	struct capacity_answer *found;
	int rc = capacity_answer_ask(&ask, a, &found, p);
	if (rc == 0)
		capacity_figures(b, found, out);
	free(found);
	return rc;
}

static int compute(struct worker_state *b, const struct sweep_question *q,
		   struct sweep_answer *out, struct problem *p)
{
	struct workload_keys keys = b->task->config->workload_keys;
	int64_t cpu = clock_cpu_ns(), began = clock_now_ns();
	keys.seed += q->seed_shift;
	int rc = b->task->mode == STORE_RUN ? run_once(b, &keys, out, p)
					    : search(b, &keys, out, p);
	out->seconds = (double)(clock_now_ns() - began) / 1e9;
	out->cpu_seconds = (double)(clock_cpu_ns() - cpu) / 1e9;
	out->has_figures = rc == 0;
	return rc;
}

/* ---- one question ---- */

/* Computes the key of the row, also for an impossible configuration. */
static int find_key(struct worker_state *b, const struct sweep_question *q,
		    struct sweep_answer *out, struct problem *p)
{
	struct key_parts k = {.what = b->task->what,
			      .seed_shift = q->seed_shift};
	int rc = prepared_arm_prepare(&b->prepared_arm, (size_t)q->point, p);
	k.same = CONFIG_ALL & ~b->prepared_arm.renewed;
	if (rc == 0)
		rc = key_of_trace(&k.trace_hash, b->task->config,
				  b->task->traces, p);
	if (rc == 0)
		return key_of_arm(out->key, &b->prepared_arm.work.arm, &k,
				  &b->key_memory, p);
	key_of_refusal(out->key, b->task->config, &k, p->text, &b->key_memory,
		       NULL);
	return -1;
}

int sweep_work(struct pool_worker *w, void *user, const void *question,
	       void *answer, struct problem *p)
{
	const struct sweep_question *q = question;
	struct sweep_answer *out = answer;
	struct problem why;
	const struct sweep_task *t = user; /* *user begins with the task */
	struct worker_state *b =
	    prepared_arm_of(w, sizeof *b, t->plan, t->config, t->step_bytes, p);
	if (!b)
		return -1;
	b->task = t;
	int rc = find_key(b, q, out, &why);
	out->is_known = out->key[0] && !strcmp(out->key, q->known);
	if (out->is_known)
		return 0;
	if (rc < 0)
		return problem_set(p, why.code, "%s", why.text);
	out->warning[0] = '\0';
	rc = prepared_arm_create(&b->prepared_arm, out->warning, p);
	int is_created = rc == 0;
	if (is_created)
		rc = compute(b, q, out, p);
	return prepared_arm_destroy(&b->prepared_arm, is_created, rc, p);
}

void sweep_leave(struct pool_worker *w, void *user)
{
	struct worker_state *b = w->own;
	if (b)
		key_memory_free(&b->key_memory);
	prepared_arm_leave(w, user);
}
