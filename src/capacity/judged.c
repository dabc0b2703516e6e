/* judged.c -- Puts searches before the verdict. */
#include <config.h>
#include "capacity/judged.h"
#include <math.h>
#include <stdlib.h>

static int has_rate(const struct deployments *d, size_t way, size_t arm)
{
	const struct deployment *x = deployments_at(d, way, arm);
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
					    confidence, SEARCH_MARGIN)};
			}
	return 0;
}

/* The searches as the verdict sees them; free_judged() frees its arrays. */
struct judged {
	struct verdict_of of;
	const char **name; /* ways, arms, GPUs                               */
	struct verdict_search *search;
	struct verdict_pair *pair;
};

static struct verdict_search search_of(const struct deployments *d, size_t way,
				       size_t arm)
{
	const struct deployment *x = deployments_at(d, way, arm);
	if (!x)
		return (struct verdict_search){
		    .why_failed = deployments_job(d, way, arm)->complaint};
	const struct capacity *c = &x->capacity;
	struct verdict_search s = {.meets = c->verdict == CAPACITY_FOUND,
				   .rate = c->request_rate,
				   .low = c->low,
				   .high = c->high,
				   .gpus = x->gpus,
				   .usd_per_gpu = x->usd_per_hour,
				   .tokens_per_s = c->output_throughput};
	if (!s.meets && c->limited_by >= 0) {
		const struct bound *b = &d->bounds.bound[c->limited_by];
		s.bound = slo_bound_name(b);
		s.unloaded = c->value[c->limited_by];
		s.limit = b->limit;
	}
	return s;
}

static void free_judged(struct judged *j)
{
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
	    .pair = calloc(d->n_pairs + 1, sizeof *j->pair)};
	if (!j->name || !j->search || !j->pair) {
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
	for (size_t i = 0; i < deployments_n(d); i++)
		j->search[i] = search_of(d, i / d->n_arms, i % d->n_arms);
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

int judged_stands(const struct deployments *d, struct problem *p)
{
	struct judged j;
	if (judged_of(&j, d, p) < 0)
		return -1;
	int stands = decision_stands(&j.of);
	free_judged(&j);
	return stands;
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

size_t judged_cautious_choice(const struct deployments *d, size_t arm)
{
	const struct verdict_of of = {.rate = d->rate};
	size_t best = d->n_ways;
	double least = INFINITY;
	for (size_t way = 0; way < d->n_ways; way++) {
		const struct deployment *x = deployments_at(d, way, arm);
		struct verdict_search s = search_of(d, way, arm);
		if (x && x->has_cautious) {
			s.meets = x->cautious.verdict == CAPACITY_FOUND;
			s.tokens_per_s *= x->cautious.request_rate / s.rate;
			s.rate = x->cautious.request_rate;
		}
		double cost =
		    choice_expense(&of, &s, s.rate, d->decision.is_priced);
		if (cost < least) {
			least = cost;
			best = way;
		}
	}
	return best;
}
