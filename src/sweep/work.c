/* work.c -- Computes one row of a sweep. */
#include <config.h>
#include "sweep/work.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "arm/arm_gpus.h"
#include "arm/host.h"
#include "arm/run.h"
#include "base/clock.h"
#include "record/metrics.h"
#include "sim/simulation.h"
#include "study/capacity/search.h"
#include "study/deployment.h"
#include "sweep/key.h"

enum { NEVER_SET = UINT32_MAX };

/* State of a worker that is kept from point to point. */
struct bench {
	const struct sweep_task *task;
	struct pool_worker *worker;
	struct arm_at_work work;
	int is_prepared;
	/* parts of the configuration to renew */
	unsigned pending;
	unsigned renewed; /* parts that prepare() renewed */
	uint32_t *at;     /* [n_axes] index of the current value */
	struct key_memory key_memory;
	sc_host host; /* writes messages about a point to a stream, if open */
	char *said;
	size_t said_bytes;
	void *step_memory; /* if the shared one is too small */
	size_t step_bytes;
	struct outcome outcome;
};

/* ---- the point ---- */

static struct bench *bench_of(struct pool_worker *w, const struct sweep_task *t,
			      struct problem *p)
{
	struct bench *b = w->own;
	if (b)
		return b;
	b = calloc(1, sizeof *b);
	uint32_t *at = calloc(t->plan->n_axes + 1, sizeof *at);
	if (!b || !at) {
		free(b), free(at);
		problem_no_memory(p);
		return NULL;
	}
	for (size_t a = 0; a < t->plan->n_axes; a++)
		at[a] = NEVER_SET;
	b->task = t;
	b->worker = w;
	b->at = at;
	b->host = host_writing(NULL);
	w->own = b;
	return b;
}

static int set_axes(struct bench *b, size_t point, struct problem *p)
{
	const struct plan *l = b->task->plan;
	struct ini *cfg = &b->task->config->cfg;
	for (size_t a = 0; a < l->n_axes; a++) {
		const struct plan_axis *x = &l->axis[a];
		uint32_t at = l->at[point * l->n_axes + a];
		if (at == b->at[a])
			continue;
		char section[256];
		const char *key = x->name + x->dot + 1;
		snprintf(section, sizeof section, "%.*s", (int)x->dot, x->name);
		if (ini_put(cfg, section, key, x->value.item[at], l->option,
			    p) < 0)
			return -1;
		b->at[a] = at;
		b->pending |= config_parts(section, key);
	}
	return 0;
}

/* Prepares configuration and arm for the point; no instance. */
static int prepare(struct bench *b, size_t point, struct problem *p)
{
	struct config *c = b->task->config;
	if (set_axes(b, point, p) < 0)
		return -1;
	unsigned parts = b->pending;
	b->pending = CONFIG_ALL;
	if (parts && config_renew(c, parts, p) < 0)
		return -1;
	int rc = b->is_prepared ? arm_prepare_again(&b->work.arm, parts, p)
				: arm_prepare(&b->work.arm, c, b->worker->group,
					      &b->host, p);
	b->is_prepared = 1;
	if (rc == 0)
		b->pending = 0;
	b->renewed = parts;
	return rc;
}

/* ---- computing ---- */

static void *step_memory(struct bench *b, struct problem *p)
{
	size_t bytes = simulation_step_bytes(&b->work.arm.engine);
	void *at = b->worker->shared;
	if (bytes > b->task->step_bytes) {
		if (bytes > b->step_bytes) {
			free(b->step_memory);
			b->step_memory = malloc(bytes);
			b->step_bytes = b->step_memory ? bytes : 0;
		}
		at = b->step_memory;
	}
	if (at)
		memset(at, 0, bytes);
	else
		problem_no_memory(p);
	return at;
}

/* Appends a line to the warnings. */
static void add_warning(char out[STORE_WARNING], size_t n_line,
			const char *line)
{
	size_t n = strlen(out);
	snprintf(out + n, STORE_WARNING - n, "%s%.*s", n ? "; " : "",
		 (int)n_line, line);
}

static void take_notes(const struct workload *w, char out[STORE_WARNING])
{
	const char *line;
	for (uint32_t i = 0; (line = workload_note(w, i)) != NULL; i++)
		add_warning(out, strlen(line), line);
}

/* Takes the warnings of cost models; other messages are dropped. */
static void take_warnings(const char *said, char out[STORE_WARNING])
{
	static const char begin[] = "warning: ";
	const size_t n_begin = sizeof begin - 1;
	while (said && *said) {
		size_t n = strcspn(said, "\n");
		if (!strncmp(said, begin, n_begin))
			add_warning(out, n - n_begin, said + n_begin);
		said += n + (said[n] == '\n');
	}
}

static void cost_figures(const struct bench *b, double *v)
{
	const struct arm *a = &b->work.arm;
	const struct deployment d = {
	    .capacity = {.verdict = CAPACITY_FOUND,
			 .output_throughput = metric_value(
			     metric_find("output_throughput"), &b->outcome)},
	    .gpus = (uint32_t)config_arm_gpus(a->config, a->index),
	    .usd_per_hour = arm_usd_per_hour(a),
	};
	v[COST_GPUS] = d.gpus;
	v[COST_OUTPUT_THROUGHPUT_PER_GPU] =
	    d.capacity.output_throughput / d.gpus;
	v[COST_USD_PER_HOUR] =
	    d.usd_per_hour > 0 ? d.usd_per_hour * d.gpus : NAN;
	v[COST_USD_PER_MTOK] = deployment_usd_per_mtok(&d);
}

static void run_figures(const struct bench *b, struct sweep_answer *out)
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

static int run_once(struct bench *b, const struct workload_keys *keys,
		    struct sweep_answer *out, struct problem *p)
{
	struct arm *a = &b->work.arm;
	struct cost *cost[2];
	void *memory = step_memory(b, p);
	struct workload *w = memory ? workload_open_with(keys, &a->config->cfg,
							 b->task->traces, p)
				    : NULL;
	if (!w)
		return -1;
	arm_run_costs(a, cost);
	int rc = simulate(&a->engine, cost, w, NULL, memory, &b->outcome, p);
	take_notes(w, out->warning);
	workload_free(w);
	if (rc == 0)
		run_figures(b, out);
	return rc;
}

static void capacity_figures(const struct bench *b, const struct deployment *d,
			     struct sweep_answer *out)
{
	const struct sweep_task *t = b->task;
	const struct capacity *c = &d->capacity;
	size_t n = store_n_numbers(STORE_CAPACITY), at = store_at_latencies();
	deployment_figures(d, t->rate, out->number);
	for (size_t i = at; i < n; i++)
		out->number[i] = NAN;
	for (size_t i = 0; i < t->bounds->n; i++) {
		struct store_column column;
		const char *name = slo_bound_name(&t->bounds->bound[i]);
		for (size_t k = at; store_number(STORE_CAPACITY, k, &column);
		     k++)
			if (!strcmp(column.name, name))
				out->number[k] = c->value[i];
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

static int search(struct bench *b, const struct workload_keys *keys,
		  struct sweep_answer *out, struct problem *p)
{
	struct arm *a = &b->work.arm;
	struct cost *cost[2];
	struct deployment d = {
	    .gpus = (uint32_t)config_arm_gpus(a->config, a->index),
	    .usd_per_hour = arm_usd_per_hour(a),
	};
	const struct capacity_task t = {
	    .engine = &a->engine,
	    .cost = cost,
	    .workload = keys,
	    .cfg = &a->config->cfg,
	    .traces = b->task->traces,
	    .bounds = b->task->bounds,
	    .precision = b->task->precision,
	    .confidence = SEARCH_CONFIDENCE,
	    .request_limit = SEARCH_REQUEST_LIMIT,
	    .max_rejected = SEARCH_MAX_REJECTED,
	    .step_memory = step_memory(b, p),
	};
	if (!t.step_memory)
		return -1;
	arm_run_costs(a, cost);
	if (capacity_find(&t, &d.capacity, p) < 0)
		return -1;
	capacity_figures(b, &d, out);
	return 0;
}

static double cpu_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int compute(struct bench *b, const struct sweep_question *q,
		   struct sweep_answer *out, struct problem *p)
{
	struct workload_keys keys = b->task->config->workload_keys;
	double cpu = cpu_s();
	int64_t began = clock_now_ns();
	keys.seed += q->seed_shift;
	int rc = b->task->mode == STORE_RUN ? run_once(b, &keys, out, p)
					    : search(b, &keys, out, p);
	out->seconds = (double)(clock_now_ns() - began) / 1e9;
	out->cpu_seconds = cpu_s() - cpu;
	out->has_figures = rc == 0;
	return rc;
}

/* ---- one question ---- */

static int trace_hash(const struct bench *b, uint64_t *hash, struct problem *p)
{
	const struct config *c = b->task->config;
	*hash = 0;
	return *c->workload_keys.trace
		   ? workload_read_trace(b->task->traces, &c->workload_keys,
					 &c->cfg, hash, p)
		   : 0;
}

/* Computes the key of the row, also for an impossible configuration. */
static int find_key(struct bench *b, const struct sweep_question *q,
		    struct sweep_answer *out, struct problem *p)
{
	struct key_parts k = {.what = b->task->what,
			      .seed_shift = q->seed_shift};
	int rc = prepare(b, (size_t)q->point, p);
	k.same = CONFIG_ALL & ~b->renewed;
	if (rc == 0)
		rc = trace_hash(b, &k.trace_hash, p);
	if (rc == 0)
		return key_of_arm(out->key, &b->work.arm, &k, &b->key_memory,
				  p);
	key_of_refusal(out->key, b->task->config, &k, p->text, &b->key_memory,
		       NULL);
	return -1;
}

/* Creates an instance; its warnings go to the row. */
static int create_listening(struct bench *b, struct sweep_answer *out,
			    struct problem *p)
{
	FILE *f = open_memstream(&b->said, &b->said_bytes);
	b->host.ctx = f;
	int rc = arm_work_create(&b->work, b->worker->watch, p);
	b->host.ctx = NULL;
	if (f && fclose(f) == 0)
		take_warnings(b->said, out->warning);
	free(b->said);
	b->said = NULL;
	return rc;
}

int sweep_work(struct pool_worker *w, void *user, const void *question,
	       void *answer, struct problem *p)
{
	const struct sweep_question *q = question;
	struct sweep_answer *out = answer;
	struct problem why;
	struct bench *b = bench_of(w, user, p); /* *user begins with the task */
	if (!b)
		return -1;
	int rc = find_key(b, q, out, &why);
	out->is_known = out->key[0] && !strcmp(out->key, q->known);
	if (out->is_known)
		return 0;
	if (rc < 0)
		return problem_set(p, why.code, "%s", why.text);
	out->warning[0] = '\0';
	rc = create_listening(b, out, p);
	int is_created = rc == 0;
	if (is_created)
		rc = compute(b, q, out, p);
	/* A plugin that refused may have done something forbidden as well. */
	if ((rc == 0 || !is_created) && arm_work_look(&b->work, p) < 0)
		rc = -1;
	arm_work_destroy(&b->work);
	return rc;
}

void sweep_leave(struct pool_worker *w, void *user)
{
	struct bench *b = w->own;
	(void)user;
	if (!b)
		return;
	if (b->is_prepared)
		arm_work_close(&b->work);
	key_memory_free(&b->key_memory);
	free(b->step_memory), free(b->at);
	free(b);
	w->own = NULL;
}
