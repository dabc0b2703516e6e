/* judged.c -- Puts searches before the verdict. */
#include <config.h>
#include "capacity/judged.h"
#include <math.h>
#include <stdlib.h>

static int has_rate(const struct deployments *d, size_t way, size_t arm)
{
	const struct capacity_answer *x = deployments_at(d, way, arm);
	return x && x->capacity.verdict == CAPACITY_FOUND;
}

/* With up to four arms every pair, else each arm and the first. */
int judged_pairs(struct deployments *d, struct problem *p)
{
	size_t n = d->n_arms, pairs = n <= 4 ? n * (n - 1) / 2 : n - 1;
	if (!d->pair)
		d->pair = calloc(d->n_ways * pairs + 1, sizeof *d->pair);
	if (!d->pair)
		return problem_no_memory(p);
	d->n_pairs = 0;
	double confidence =
	    pairs ? 1 - (1 - d->how.confidence) / (double)pairs : 0;
	for (size_t way = 0; way < d->n_ways; way++)
		for (size_t b = 0; b < n; b++)
			for (size_t a = b + 1; a < n; a++) {
				if ((n > 4 && b) || !has_rate(d, way, a) ||
				    !has_rate(d, way, b))
					continue;
				d->pair[d->n_pairs++] =
				    (struct deployment_pair){
					way, a, b,
					capacity_compare(
					    &d->left[way * n + a].search,
					    &d->left[way * n + b].search,
					    &d->bounds, confidence,
					    SEARCH_MARGIN)};
			}
	return 0;
}

/* The searches as the verdict sees them; free_judged() frees its arrays. */
struct judged {
	struct verdict_of of;
	const char **name; /* ways, arms, GPUs                               */
	struct verdict_search *search;
	struct verdict_pair *pair;
	char **fleet; /* [n_searches]                                         */
	size_t n_searches;
};

static struct verdict_search search_of(const struct deployments *d, size_t way,
				       size_t arm)
{
	const struct capacity_answer *x = deployments_at(d, way, arm);
	if (!x)
		return (struct verdict_search){
		    .why_failed = deployments_job(d, way, arm)->complaint};
	const struct capacity *c = &x->capacity;
	const struct answer_units n = answer_units(x);
	struct verdict_search s = {.meets = c->verdict == CAPACITY_FOUND,
				   .rate = c->request_rate,
				   .low = c->low,
				   .high = c->high,
				   .gpus_low = answer_gpus(x, n.low),
				   .gpus_high = answer_gpus(x, n.high),
				   .usd_per_gpu = x->usd_per_hour,
				   .tokens_per_s = c->output_throughput,
				   .at_rate = c->question == QUESTION_FLEET &&
					      c->n_tests > 0};
	if (!s.meets && c->limited_by >= 0) {
		const struct bound *b = &d->bounds.bound[c->limited_by];
		s.bound = slo_bound_name(b);
		s.figure = c->value[c->limited_by];
		s.limit = b->limit;
	}
	return s;
}

/* "4 units of TP 2 behind round_robin"; NULL: there is one replica, or memory
 * is out. */
static char *fleet_of(const struct deployments *d, size_t way, size_t arm)
{
	const struct capacity_answer *x = deployments_at(d, way, arm);
	double n = x ? answer_units(x).high : 0;
	char *text;
	if (!(n > 1) || !isfinite(n))
		return NULL;
	if (x->is_independent)
		return asprintf(&text, "%.0f independent deployments", n) < 0
			   ? NULL
			   : text;
	const char *kind = x->replicas_per_unit > 1 ? "units" : "replicas";
	return asprintf(&text, "%.0f %s of %u GPU%s behind %s", n, kind,
			x->gpus_per_unit, x->gpus_per_unit == 1 ? "" : "s",
			x->outside.router) < 0
		   ? NULL
		   : text;
}

static void free_judged(struct judged *j)
{
	for (size_t i = 0; j->fleet && i < j->n_searches; i++)
		free(j->fleet[i]);
	free(j->fleet);
	free(j->name);
	free(j->search);
	free(j->pair);
}

static int judged_of(struct judged *j, const struct deployments *d,
		     struct problem *p)
{
	*j = (struct judged){
	    .name = calloc(2 * d->n_ways + d->n_arms, sizeof *j->name),
	    .search = calloc(deployments_n(d), sizeof *j->search),
	    .pair = calloc(d->n_pairs + 1, sizeof *j->pair),
	    .fleet = calloc(deployments_n(d), sizeof *j->fleet),
	    .n_searches = deployments_n(d)};
	if (!j->name || !j->search || !j->pair || !j->fleet) {
		free_judged(j);
		return problem_no_memory(p);
	}
	const char **way = j->name, **gpu = way + d->n_ways,
		   **arm = gpu + d->n_ways;
	for (size_t i = 0; i < d->n_ways; i++) {
		way[i] = d->way[i].name;
		gpu[i] = d->way[i].config.arm[0].hardware;
	}
	for (size_t i = 0; i < d->n_arms; i++)
		arm[i] = d->way[0].config.arm[i].name;
	for (size_t i = 0; i < deployments_n(d); i++) {
		j->search[i] = search_of(d, i / d->n_arms, i % d->n_arms);
		j->fleet[i] = fleet_of(d, i / d->n_arms, i % d->n_arms);
		j->search[i].fleet = j->fleet[i];
	}
	for (size_t i = 0; i < d->n_pairs; i++) {
		const struct deployment_pair *x = &d->pair[i];
		j->pair[i] = (struct verdict_pair){
		    .a = x->a,
		    .b = x->b,
		    .is_alike = x->is.verdict == COMPARISON_ALIKE,
		    .is_told = x->is.verdict != COMPARISON_UNTOLD,
		    .ratio = x->is.ratio,
		    .low = x->is.low,
		    .high = x->is.high};
	}
	j->of = (struct verdict_of){.way = way,
				    .arm = arm,
				    .gpu = gpu,
				    .n_ways = d->n_ways,
				    .n_arms = d->n_arms,
				    .search = j->search,
				    .rate = d->rate,
				    .margin = SEARCH_MARGIN,
				    .pair = j->pair,
				    .n_pairs = d->n_pairs};
	return 0;
}

int judged_decide(struct deployments *d, struct problem *p)
{
	struct judged j;
	if (judged_of(&j, d, p) < 0)
		return -1;
	int rc = decide(&d->decision, &j.of, p);
	free_judged(&j);
	return rc;
}

/* What a search answers if its cost model errs by as much as elsewhere. */
static struct verdict_search pessimistic_of(const struct deployments *d,
					    size_t way, size_t arm)
{
	const struct capacity_answer *x = deployments_at(d, way, arm);
	struct verdict_search s = search_of(d, way, arm);
	if (!x || !x->has_pessimistic)
		return s;
	const struct capacity *c = &x->pessimistic;
	s.meets = c->verdict == CAPACITY_FOUND;
	s.tokens_per_s *= c->request_rate / s.rate;
	s.rate = s.low = c->request_rate;
	s.gpus_high = answer_gpus(x, answer_pessimistic_units(x).mid);
	return s;
}

size_t judged_pessimistic_choice(const struct deployments *d, size_t arm)
{
	const struct verdict_of of = {.rate = d->rate};
	size_t best = d->n_ways;
	double least = INFINITY;
	for (size_t way = 0; way < d->n_ways; way++) {
		struct verdict_search s = pessimistic_of(d, way, arm);
		double cost = choice_expense(&of, &s, CHOICE_LOWER,
					     d->decision.is_priced);
		if (cost < least) {
			least = cost;
			best = way;
		}
	}
	return best;
}
