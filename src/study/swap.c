/* swap.c -- Runs one arm with one part at a time from a second arm. */
#include "study/swap.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "arm/run.h"
#include "capacity/one_draw.h"

/* Relative precision of the rates. */
#define PRECISION 0.01

struct swap_task {
	const struct swap *all;
	size_t arm;    /* the arm with the engine and the steps */
	uint32_t part; /* bit i: the other arm prices part i; 0: none */
};
/* ---- one run, in its job ---- */

/* Simulates the requests with swapped prices, and searches the capacity if that
 * is wanted. */
static int serve(struct job *j, struct arm *a, struct cost *const cost[2],
		 struct problem *p)
{
	const struct swap_task *t = j->user;
	const struct config *c = t->all->study->results.config;
	struct swapped *found = j->shared;
	const struct capacity_task search = {
	    .engine = &a->engine,
	    .cost = cost,
	    .workload = &c->workload_keys,
	    .cfg = &c->cfg,
	    .bounds = &t->all->bounds,
	    .precision = PRECISION,
	    .step_memory = j->live,
	};
	struct workload *w = workload_open(&c->workload_keys, &c->cfg, p);
	int rc =
	    w ? simulate(&a->engine, cost, w, NULL, j->live, &found->outcome, p)
	      : -1;
	workload_free(w);
	if (rc == 0 && t->all->has_capacity)
		rc = capacity_one_draw(&search, &found->capacity, p);
	return rc;
}

static int serve_hybrid(struct job *j, struct arm *by, void *ctx,
			struct problem *p)
{
	const struct swap_task *t = j->user;
	struct arm *of = ctx;
	struct cost *a[2], *b[2], made[2], *cost[2] = {&made[0], &made[1]};
	struct composite composite[2];
	arm_run_costs(of, a);
	arm_run_costs(by, b);
	for (int pool = 0; pool < 2; pool++)
		composite_make(&composite[pool], a[pool], b[pool],
			       t->all->is_by_component ? composite_component
						       : composite_phase,
			       t->part, &made[pool]);
	return serve(j, of, cost, p);
}

static int with_arm(struct job *j, struct arm *a, void *ctx, struct problem *p)
{
	const struct swap_task *t = j->user;
	struct cost *cost[2];
	(void)ctx;
	if (t->part)
		return arm_run(j, t->all->study->results.config, t->all->by,
			       NULL, serve_hybrid, a, p);
	arm_run_costs(a, cost);
	return serve(j, a, cost, p);
}

static int run_row(struct job *j, struct problem *p)
{
	const struct swap_task *t = j->user;
	return arm_run(j, t->all->study->results.config, t->arm, NULL, with_arm,
		       NULL, p);
}

/* ---- the runs ---- */

static int find_arm(const struct config *c, size_t n, const char *name,
		    size_t *place, struct problem *p)
{
	for (*place = 0; *place < n; ++*place)
		if (!strcmp(c->arm[*place].name, name))
			return 0;
	return problem_set(p, EXIT_USAGE, "--swap: no arm '%s' in %s", name,
			   c->cfg.path);
}

int swap_parse(const struct config *c, size_t n, const char *text,
	       size_t place[2], struct problem *p)
{
	char *copy = strdup(text), *rest = copy;
	const char *a = strsep(&rest, ","), *b = rest;
	int rc = !copy ? problem_no_memory(p)
		 : !b || strchr(b, ',')
		     ? problem_set(p, EXIT_USAGE,
				   "--swap %s: must be two arms, A,B", text)
		     : find_arm(c, n, a, &place[0], p);
	if (rc == 0)
		rc = find_arm(c, n, b, &place[1], p);
	if (rc == 0 && place[0] == place[1])
		rc = problem_set(p, EXIT_USAGE,
				 "--swap %s: must be two different arms", text);
	free(copy);
	return rc;
}

/* Returns the capabilities of an arm's plugins.  For a decode pool they are
 * those of the arm that is named for it. */
static uint32_t capabilities(const struct study *s, size_t arm)
{
	const struct config *c = s->results.config;
	uint32_t all = s->arm[arm].record->capabilities;
	struct problem none;
	size_t index;
	if ((!c->engine_keys.prefill_replicas && !c->is_apart) ||
	    config_decode_arm(c, arm, &index, &none) < 0 || index == arm)
		return all;
	for (size_t i = 0; i < s->n; i++)
		if (!s->arm[i].error &&
		    !strcmp(s->arm[i].name, c->arm[index].name))
			return all & s->arm[i].record->capabilities;
	return 0;
}

/* 99 of 100 requests must be within the SLO. */
static void set_bounds(struct bounds *b, const struct slo_keys *slo)
{
	const struct {
		const char *metric;
		double ms;
	} of[] = {{"p99_ttft_ms", slo->ttft_ms},
		  {"p99_tpot_ms", slo->tpot_ms},
		  {"p99_e2el_ms", slo->e2el_ms}};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		if (of[i].ms > 0)
			slo_bound_make(&b->bound[b->n++], of[i].metric,
				       of[i].ms);
}

static void add_row(struct swap *s, const char *name, uint32_t components,
		    size_t arm, uint32_t part)
{
	size_t i = s->n_rows++;
	s->row[i] = (struct swap_row){.name = name, .components = components};
	s->task[i] = (struct swap_task){.all = s, .arm = arm, .part = part};
	s->job[i] =
	    (struct job){.name = s->study->arm[arm].name, .user = &s->task[i]};
}

static int make_rows(struct swap *s, struct problem *p)
{
	const struct study *study = s->study;
	const struct composite_part *part = composite_parts(
	    capabilities(study, s->of), capabilities(study, s->by));
	s->is_by_component = part == composite_component;
	s->task = calloc(SWAP_ROWS, sizeof *s->task);
	if (!s->task)
		return problem_no_memory(p);
	add_row(s, study->arm[s->of].name, 0, s->of, 0);
	for (uint32_t i = 0; part[i].name; i++)
		add_row(s, part[i].name, part[i].components, s->of, 1u << i);
	add_row(s, study->arm[s->by].name, 0, s->by, 0);
	return 0;
}

static void collect(struct swap *s)
{
	for (size_t i = 0; i < s->n_rows; i++) {
		const struct swapped *is = s->job[i].shared;
		s->row[i].error = s->job[i].complaint;
		s->row[i].outcome = &is->outcome;
		s->row[i].capacity = &is->capacity;
	}
}

int swap_run(struct swap *s, const struct study *study, const size_t place[2],
	     struct problem *p)
{
	const struct config *c = study->results.config;
	struct jobs_options how = study->how;
	*s = (struct swap){.study = study,
			   .of = place[0],
			   .by = place[1],
			   .has_capacity = !c->workload_keys.concurrency};
	if (study->arm[s->of].error || study->arm[s->by].error)
		return 0;
	set_bounds(&s->bounds, &c->slo_keys);
	if (make_rows(s, p) < 0)
		return -1;
	how.shared_bytes = sizeof(struct swapped);
	how.progress = NULL;
	if (jobs_run(&s->arms, s->job, s->n_rows, run_row, &how, p) < 0 ||
	    jobs_if_machine_failed(&s->arms, p) < 0)
		return -1;
	collect(s);
	return 0;
}

int swap_code(const struct swap *s)
{
	return jobs_code(&s->arms);
}

void swap_free(struct swap *s)
{
	jobs_free(&s->arms);
	free(s->task);
	*s = (struct swap){0};
}

/* ---- results ---- */

double swap_value(const struct swap_row *r, const struct metric *m)
{
	return r->error ? (double)NAN : metric_value(m, r->outcome);
}

double swap_capacity(const struct swap_row *r)
{
	if (r->error || !r->capacity->simulations)
		return NAN;
	return r->capacity->verdict == CAPACITY_FOUND
		   ? r->capacity->request_rate
		   : 0;
}
