/* deployment.c -- Loads ways to serve, and says what each takes. */
#include <config.h>
#include "capacity/deployment.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the ways to serve ---- */

/* Refuses a way that has only keys, or only the name of another one. */
static int check_name(const struct deployments *d, const char *text,
		      struct problem *p)
{
	size_t n = strcspn(text, ":");
	const char *equals = memchr(text, '=', n);
	if (equals || n == 0)
		return problem_set(
		    p, EXIT_USAGE,
		    "--try %s: needs NAME:SECTION.KEY=VALUE, as in "
		    "tp2:engine.tensor_parallel_size=2",
		    text);
	for (size_t i = 0; i < d->n_ways; i++)
		if (strlen(d->way[i].name) == n &&
		    !strncmp(d->way[i].name, text, n))
			return problem_set(p, EXIT_USAGE,
					   "--try %s: '%s' is the name of an "
					   "earlier --try; give each its own",
					   text, d->way[i].name);
	return 0;
}

/* Lists the assignments of the source, and after them those of a way,
 * "SECTION.KEY=VALUE,...".  rest: NULL if it has none. */
static int list_keys(struct names *set, const struct deployment_source *from,
		     char *rest, struct problem *p)
{
	char *item, *text;
	for (size_t i = 0; i < from->n_set; i++)
		if (names_add(set, from->set[i]) < 0)
			return problem_no_memory(p);
	while ((item = strsep(&rest, ","))) {
		if (asprintf(&text, "--try %s", item) < 0)
			return problem_no_memory(p);
		int rc = names_add(set, text);
		free(text);
		if (rc < 0)
			return problem_no_memory(p);
	}
	return 0;
}

/* text becomes the name: it ends at the first ':'.  (An arm's section has one
 * too.) */
static int load_way(struct deployment_way *w, const struct config *beside,
		    const struct deployment_source *from, char *text,
		    struct problem *p)
{
	struct names set = {0};
	char *rest = text;
	w->name = strsep(&rest, ":");
	int rc = list_keys(&set, from, rest, p);
	if (rc == 0)
		rc = config_load_beside(&w->config, beside, from->path,
					set.item, set.n, from->arms, p);
	names_free(&set);
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
		if (check_name(d, text, p) < 0) {
			free(text);
			return -1;
		}
		if (load_way(&d->way[d->n_ways],
			     d->n_ways ? &d->way[0].config : NULL, from, text,
			     p) < 0)
			return -1;
		if (d->how.one_draw &&
		    d->way[d->n_ways].config.workload_keys.concurrency)
			return problem_set(p, EXIT_USAGE,
					   "%s: --one-draw bisects a rate, "
					   "and a closed loop (concurrency) "
					   "has none",
					   from->path);
	}
	d->n_arms = d->way[0].config.n_arms;
	return 0;
}

/* ---- memory ---- */

void deployment_round_free(struct deployment_round *r)
{
	jobs_free(&r->jobs);
	free(r->job);
	free(r->task);
	free(r->index);
	*r = (struct deployment_round){0};
}

void deployments_free(struct deployments *d)
{
	for (size_t i = 0; i < d->n_rounds; i++)
		deployment_round_free(&d->round[i]);
	for (size_t i = 0; d->said && i < deployments_n(d); i++)
		names_free(&d->said[i]);
	for (size_t i = 0; d->way && d->way[i].name; i++) {
		config_free(&d->way[i].config);
		free(d->way[i].name);
	}
	free(d->way), free(d->left), free(d->round), free(d->said);
	free(d->pair);
	decision_free(&d->decision);
	*d = (struct deployments){0};
}

/* ---- the results ---- */

size_t deployments_n(const struct deployments *d)
{
	return d->n_ways * d->n_arms;
}

const struct job *deployments_job(const struct deployments *d, size_t way,
				  size_t arm)
{
	const struct job *last = NULL;
	for (size_t i = 0; i < d->n_rounds; i++)
		for (size_t k = 0; k < d->round[i].n; k++)
			if (d->round[i].index[k] == way * d->n_arms + arm)
				last = &d->round[i].job[k];
	return last;
}

static int has_failed(const struct deployments *d, size_t way, size_t arm)
{
	const struct job *j = deployments_job(d, way, arm);
	return j && j->complaint;
}

const struct deployment *deployments_at(const struct deployments *d, size_t way,
					size_t arm)
{
	return has_failed(d, way, arm) ? NULL
				       : &d->left[way * d->n_arms + arm].found;
}

const struct names *deployments_said(const struct deployments *d, size_t way,
				     size_t arm)
{
	return &d->said[way * d->n_arms + arm];
}

/* ---- what it takes ---- */

static double deployments_for(double rate, double per_deployment)
{
	return rate > 0 ? ceil(rate / per_deployment) : 1;
}

double deployment_joules(const struct deployment *x)
{
	return x->capacity.verdict == CAPACITY_FOUND
		   ? x->capacity.joules_per_token
		   : (double)NAN;
}

struct usd_per_mtok deployment_usd_per_mtok(const struct deployment *x)
{
	int found = x->capacity.verdict == CAPACITY_FOUND;
	const struct usd_of of = {
	    .usd_per_hour = found ? x->usd_per_hour * x->gpus : (double)NAN,
	    .tokens_per_s = x->capacity.output_throughput,
	    .joules_per_token = deployment_joules(x),
	    .usd_per_joule = x->usd_per_joule};
	return usd_per_mtok(&of);
}

void deployment_figures(const struct deployment *x, double rate,
			double v[N_CAPACITY_FIGURES])
{
	const struct capacity *c = &x->capacity;
	double price = x->usd_per_hour > 0 ? x->usd_per_hour : NAN;
	double n[3] = {INFINITY, INFINITY, INFINITY};
	if (c->verdict == CAPACITY_FOUND) {
		n[0] = deployments_for(rate, c->high);
		n[1] = deployments_for(rate, c->request_rate);
		n[2] = deployments_for(rate, c->low);
	}
	for (int i = 0; i < 3; i++) {
		v[FIGURE_DEPLOYMENTS_LOW + i] = n[i];
		v[FIGURE_GPUS_LOW + i] = n[i] * x->gpus;
		v[FIGURE_USD_PER_HOUR_LOW + i] = n[i] * x->gpus * price;
	}
	v[FIGURE_REQUEST_RATE] = c->request_rate;
	v[FIGURE_REQUEST_RATE_LOW] = c->low;
	v[FIGURE_REQUEST_RATE_HIGH] = c->high;
	v[FIGURE_CONFIDENCE] = c->confidence;
	v[FIGURE_HALF_WIDTH] = capacity_half_width(c);
	v[FIGURE_RATE_SCALE] = c->scale;
	v[FIGURE_OUTPUT_THROUGHPUT] = c->output_throughput;
	v[FIGURE_GPUS_PER_DEPLOYMENT] = x->gpus;
	struct usd_per_mtok usd = deployment_usd_per_mtok(x);
	v[FIGURE_GPU_USD_PER_MTOK] = usd.gpus;
	v[FIGURE_ENERGY_USD_PER_MTOK] = usd.energy;
	v[FIGURE_USD_PER_MTOK] = usd.sum;
	v[FIGURE_JOULES] = deployment_joules(x);
	v[FIGURE_SATURATION_RATE] = c->saturation_rate;
	v[FIGURE_SLOPE] = c->slope;
	v[FIGURE_REPLICATIONS] = c->replications;
	v[FIGURE_REQUESTS_PER_REPLICATION] =
	    (double)c->requests_per_replication;
	v[FIGURE_SIMULATIONS] = (double)c->simulations;
	v[FIGURE_REQUESTS_SIMULATED] = (double)c->requests_simulated;
	v[FIGURE_REQUESTS] = (double)c->requests;
	v[FIGURE_COMPLETED] = (double)c->completed;
	v[FIGURE_REJECTED] = (double)c->rejected;
	int has_clients = c->clients && c->verdict == CAPACITY_FOUND;
	v[FIGURE_CLIENTS] = has_clients ? (double)c->clients : NAN;
	v[FIGURE_CLIENTS_LOW] = has_clients ? (double)c->clients_low : NAN;
	v[FIGURE_CLIENTS_HIGH] = has_clients ? (double)c->clients_high : NAN;
}
