/* deployment.c -- Searches ways to serve for their capacity and chooses. */
#include <config.h>
#include "study/deployment.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "arm/host.h"
#include "arm/run.h"

/* ---- what is to be tried ---- */

/* text becomes the name: it ends at the first ':'.  (An arm's section has one
 * too.)  What follows are assignments behind those of the source. */
static int load_way(struct deployment_way *w, const struct config *beside,
		    const struct deployment_source *from, char *text,
		    struct problem *p)
{
	size_t n = from->n_set;
	const char **set = calloc(n + strlen(text) + 1, sizeof *set);
	char *rest = text, *item;
	w->name = strsep(&rest, ":");
	if (!set)
		return problem_no_memory(p);
	for (size_t i = 0; i < n; i++)
		set[i] = from->set[i];
	while ((item = strsep(&rest, ",")))
		set[n++] = item;
	int rc = config_load_beside(&w->config, beside, from->path, set, n,
				    from->arms, p);
	if (rc == 0 && w->config.workload_keys.concurrency)
		rc = problem_set(p, EXIT_USAGE,
				 "%s: a closed loop (concurrency) has no rate "
				 "to look for",
				 from->path);
	free(set);
	return rc;
}

int deployments_load(struct deployments *d,
		     const struct deployment_source *from,
		     const char *const *way, size_t n_ways, struct problem *p)
{
	static const char *const as_configured[] = {"as configured"};
	if (!n_ways) {
		way = as_configured;
		n_ways = 1;
	}
	/* Behind the last, one without a name. */
	d->way = calloc(n_ways + 1, sizeof *d->way);
	if (!d->way)
		return problem_no_memory(p);
	for (; d->n_ways < n_ways; d->n_ways++) {
		char *text = strdup(way[d->n_ways]);
		if (!text)
			return problem_no_memory(p);
		if (load_way(&d->way[d->n_ways],
			     d->n_ways ? &d->way[0].config : NULL, from, text,
			     p) < 0)
			return -1;
	}
	d->n_arms = d->way[0].config.n_arms;
	return 0;
}

/* ---- one search, in its job ---- */

struct deployment_task {
	const struct deployments *all;
	const struct config *config;
	size_t arm;
};
/* Bounds that a prediction must meet to meet `from` even where it errs by its
 * interval.  1, or 0: no bounded figure has one. */
static int cautious_bounds(const struct bounds *from, const struct trusted *t,
			   struct bounds *to)
{
	int any = 0;
	*to = *from;
	for (size_t i = 0; i < to->n; i++) {
		const struct trust_interval *x =
		    trusted_interval(t, to->bound[i].metric);
		if (x && x->high > 0) {
			to->bound[i].limit /= x->high;
			any = 1;
		}
	}
	return any;
}

static int search(struct job *j, struct arm *a, void *ctx, struct problem *p)
{
	const struct deployment_task *t = ctx;
	struct deployment *found = j->shared;
	struct cost *cost[2];
	struct bounds bounds;
	struct capacity_task c = {
	    .engine = &a->engine,
	    .cost = cost,
	    .workload = &t->config->workload_keys,
	    .cfg = &t->config->cfg,
	    .bounds = &t->all->bounds,
	    .precision = t->all->precision,
	    .said = j->stream[0],
	    .step_memory = j->live,
	};
	arm_run_costs(a, cost);
	found->gpus = (uint32_t)config_gpus(t->config);
	found->usd_per_hour = arm_usd_per_hour(a);
	if (capacity_search(&c, &found->capacity, p) < 0)
		return -1;
	found->trusted = trusted_of(t->config, t->arm, a->plugin.p.version,
				    &found->capacity.load);
	if (!cautious_bounds(c.bounds, &found->trusted, &bounds))
		return 0;
	found->has_cautious = 1;
	c.bounds = &bounds;
	c.said = NULL;
	return capacity_search(&c, &found->cautious, p);
}

static int run_one(struct job *j, struct problem *p)
{
	const struct deployment_task *t = j->user;
	const sc_host host = host_writing(j->stream[0]);
	return arm_run(j, t->config, t->arm, &host, search, j->user, p);
}

int deployments_run(struct deployments *d, const struct jobs_options *how,
		    struct problem *p)
{
	size_t n = d->n_ways * d->n_arms, step_bytes = 0;
	struct jobs_options o = *how;
	d->task = calloc(n, sizeof *d->task);
	d->job = calloc(n, sizeof *d->job);
	d->said = calloc(n, sizeof *d->said);
	if (!d->task || !d->job || !d->said)
		return problem_no_memory(p);
	for (size_t i = 0; i < n; i++) {
		const struct config *c = &d->way[i / d->n_arms].config;
		size_t arm = i % d->n_arms, bytes = arm_run_step_bytes(c);
		d->task[i] = (struct deployment_task){d, c, arm};
		d->job[i] = (struct job){.name = c->arm[arm].name,
					 .plugin = c->arm[arm].plugin,
					 .user = &d->task[i],
					 .wanted_streams = 1};
		step_bytes = bytes > step_bytes ? bytes : step_bytes;
	}
	o.shared_bytes = sizeof(struct deployment);
	o.live_bytes = step_bytes;
	int rc = jobs_run(&d->jobs, d->job, n, run_one, &o, p);
	for (size_t i = 0; rc == 0 && i < n; i++)
		if (names_add_lines(&d->said[i], d->job[i].stream[0]) < 0)
			rc = problem_no_memory(p);
	return rc;
}

void deployments_free(struct deployments *d)
{
	jobs_free(&d->jobs);
	for (size_t i = 0; d->said && i < d->n_ways * d->n_arms; i++)
		names_free(&d->said[i]);
	for (size_t i = 0; d->way && d->way[i].name; i++) {
		config_free(&d->way[i].config);
		free(d->way[i].name);
	}
	free(d->way), free(d->task), free(d->job), free(d->said);
	*d = (struct deployments){0};
}

/* ---- what it takes ---- */

const struct deployment *deployments_at(const struct deployments *d, size_t way,
					size_t arm)
{
	const struct job *j = &d->job[way * d->n_arms + arm];
	return j->complaint ? NULL : j->shared;
}

const struct names *deployments_said(const struct deployments *d, size_t way,
				     size_t arm)
{
	return &d->said[way * d->n_arms + arm];
}

double deployments_needed(const struct deployments *d,
			  const struct deployment *x)
{
	if (x->capacity.verdict == CAPACITY_NONE)
		return INFINITY;
	return d->rate > 0 ? ceil(d->rate / x->capacity.request_rate) : 1;
}

double deployments_gpus(const struct deployments *d, const struct deployment *x)
{
	return deployments_needed(d, x) * x->gpus;
}

double deployments_usd_per_hour(const struct deployments *d,
				const struct deployment *x)
{
	return x->usd_per_hour > 0 ? deployments_gpus(d, x) * x->usd_per_hour
				   : NAN;
}

double deployment_usd_per_mtok(const struct deployment *x)
{
	double per_hour = x->capacity.output_throughput * 3600;
	return x->usd_per_hour > 0 && x->capacity.verdict != CAPACITY_NONE
		   ? x->usd_per_hour * x->gpus / per_hour * 1e6
		   : NAN;
}

void deployment_figures(const struct deployment *x, double rate,
			double v[N_CAPACITY_FIGURES])
{
	const struct capacity *c = &x->capacity;
	const struct deployments d = {.rate = rate};
	v[FIGURE_REQUEST_RATE] = c->request_rate;
	v[FIGURE_RATE_SCALE] = c->scale;
	v[FIGURE_OUTPUT_THROUGHPUT] = c->output_throughput;
	v[FIGURE_GPUS_PER_DEPLOYMENT] = x->gpus;
	v[FIGURE_DEPLOYMENTS] = deployments_needed(&d, x);
	v[FIGURE_GPUS] = deployments_gpus(&d, x);
	v[FIGURE_USD_PER_HOUR] = deployments_usd_per_hour(&d, x);
	v[FIGURE_USD_PER_MTOK] = deployment_usd_per_mtok(x);
	v[FIGURE_BROKEN_RATE_SCALE] = c->broken_scale;
	v[FIGURE_BROKEN_VALUE] = c->broken_value;
	v[FIGURE_SIMULATIONS] = c->n_tried;
	v[FIGURE_REQUESTS] = (double)c->requests;
	v[FIGURE_COMPLETED] = (double)c->completed;
	v[FIGURE_REJECTED] = (double)c->rejected;
}

/* ---- which one ---- */

int deployments_priced(const struct deployments *d)
{
	for (size_t way = 0; way < d->n_ways; way++)
		for (size_t arm = 0; arm < d->n_arms; arm++) {
			const struct deployment *x =
			    deployments_at(d, way, arm);
			if (x && !(x->usd_per_hour > 0))
				return 0;
		}
	return 1;
}

/* What a way is judged by: less is better. */
static double expense(const struct deployments *d, const struct deployment *x,
		      int priced)
{
	if (!x || x->capacity.verdict == CAPACITY_NONE)
		return INFINITY;
	if (d->rate > 0)
		return priced ? deployments_usd_per_hour(d, x)
			      : deployments_gpus(d, x);
	return priced ? deployment_usd_per_mtok(x)
		      : x->gpus / x->capacity.request_rate;
}

static double cautious_expense(const struct deployments *d,
			       const struct deployment *x, int priced)
{
	if (!x || !x->has_cautious)
		return expense(d, x, priced);
	struct deployment cautious = *x;
	cautious.capacity = x->cautious;
	return expense(d, &cautious, priced);
}

static size_t choose(const struct deployments *d, size_t arm,
		     double (*of)(const struct deployments *d,
				  const struct deployment *x, int priced))
{
	size_t best = d->n_ways;
	double least = INFINITY;
	int priced = deployments_priced(d);
	for (size_t way = 0; way < d->n_ways; way++) {
		double x = of(d, deployments_at(d, way, arm), priced);
		if (x < least) {
			least = x;
			best = way;
		}
	}
	return best;
}

size_t deployments_choice(const struct deployments *d, size_t arm)
{
	return choose(d, arm, expense);
}

size_t deployments_cautious_choice(const struct deployments *d, size_t arm)
{
	return choose(d, arm, cautious_expense);
}

int deployments_failed(const struct deployments *d, size_t arm)
{
	for (size_t way = 0; way < d->n_ways; way++)
		if (!deployments_at(d, way, arm))
			return 1;
	return 0;
}

int deployments_differ(const struct deployments *d)
{
	size_t first = SIZE_MAX;
	for (size_t arm = 0; arm < d->n_arms; arm++) {
		if (deployments_failed(d, arm))
			continue;
		if (first == SIZE_MAX)
			first = deployments_choice(d, arm);
		else if (deployments_choice(d, arm) != first)
			return 1;
	}
	return 0;
}
