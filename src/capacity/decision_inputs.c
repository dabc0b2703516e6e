/* decision_inputs.c -- Puts searches before the verdict. */
#include "capacity/decision_inputs.h"
#include <math.h>
#include <stdlib.h>

static int has_rate(const struct deployments *d, size_t candidate, size_t arm)
{
	const struct capacity_answer *x = deployments_at(d, candidate, arm);
	return x && x->capacity.verdict == CAPACITY_FOUND;
}

/* With up to four arms every pair, else each arm and the first. */
int decision_inputs_pairs(struct deployments *d, struct problem *p)
{
	size_t n = d->n_arms, pairs = n <= 4 ? n * (n - 1) / 2 : n - 1;
	if (!d->pair)
		d->pair = calloc(d->n_candidates * pairs + 1, sizeof *d->pair);
	if (!d->pair)
		return problem_no_memory(p);
	d->n_pairs = 0;
	double confidence =
	    pairs ? 1 - (1 - d->how.confidence) / (double)pairs : 0;
	for (size_t candidate = 0; candidate < d->n_candidates; candidate++)
		for (size_t b = 0; b < n; b++)
			for (size_t a = b + 1; a < n; a++) {
				if ((n > 4 && b) ||
				    !has_rate(d, candidate, a) ||
				    !has_rate(d, candidate, b))
					continue;
				d->pair[d->n_pairs++] =
				    (struct deployment_pair){
					candidate, a, b,
					capacity_compare(
					    &d->left[candidate * n + a].search,
					    &d->left[candidate * n + b].search,
					    &d->bounds, confidence,
					    SEARCH_MARGIN)};
			}
	return 0;
}

/* The searches as the verdict sees them; free_decision_inputs() frees its
 * arrays. */
struct decision_inputs {
	struct verdict_of of;
	const char **name; /* candidates, arms, GPUs                         */
	struct verdict_search *search;
	struct verdict_pair *pair;
	char **fleet; /* [n_searches]                                         */
	size_t n_searches;
};

static struct verdict_search search_of(const struct deployments *d,
				       size_t candidate, size_t arm)
{
	const struct capacity_answer *x = deployments_at(d, candidate, arm);
	if (!x)
		return (struct verdict_search){
		    .why_failed =
			deployments_job(d, candidate, arm)->complaint};
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
		s.figure = c->seen.value[c->limited_by];
		s.limit = b->limit;
	}
	return s;
}

/* "4 units of TP 2 behind round_robin"; NULL: there is one replica, or memory
 * is out. */
static char *fleet_of(const struct deployments *d, size_t candidate, size_t arm)
{
	const struct capacity_answer *x = deployments_at(d, candidate, arm);
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

static void free_decision_inputs(struct decision_inputs *j)
{
	for (size_t i = 0; j->fleet && i < j->n_searches; i++)
		free(j->fleet[i]);
	free(j->fleet);
	free(j->name);
	free(j->search);
	free(j->pair);
}

static int decision_inputs_of(struct decision_inputs *j,
			      const struct deployments *d, struct problem *p)
{
	*j = (struct decision_inputs){
	    .name = calloc(2 * d->n_candidates + d->n_arms, sizeof *j->name),
	    .search = calloc(deployments_n(d), sizeof *j->search),
	    .pair = calloc(d->n_pairs + 1, sizeof *j->pair),
	    .fleet = calloc(deployments_n(d), sizeof *j->fleet),
	    .n_searches = deployments_n(d)};
	if (!j->name || !j->search || !j->pair || !j->fleet) {
		free_decision_inputs(j);
		return problem_no_memory(p);
	}
	const char **candidate = j->name, **gpu = candidate + d->n_candidates,
		   **arm = gpu + d->n_candidates;
	for (size_t i = 0; i < d->n_candidates; i++) {
		candidate[i] = d->candidate[i].name;
		gpu[i] = d->candidate[i].config.arm[0].hardware;
	}
	for (size_t i = 0; i < d->n_arms; i++)
		arm[i] = d->candidate[0].config.arm[i].name;
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
		    .is_distinguishable = x->is.verdict != COMPARISON_UNDECIDED,
		    .ratio = x->is.ratio,
		    .low = x->is.low,
		    .high = x->is.high};
	}
	j->of = (struct verdict_of){.candidate = candidate,
				    .arm = arm,
				    .gpu = gpu,
				    .n_candidates = d->n_candidates,
				    .n_arms = d->n_arms,
				    .search = j->search,
				    .rate = d->rate,
				    .margin = SEARCH_MARGIN,
				    .pair = j->pair,
				    .n_pairs = d->n_pairs};
	return 0;
}

int decision_inputs_decide(struct deployments *d, struct problem *p)
{
	struct decision_inputs j;
	if (decision_inputs_of(&j, d, p) < 0)
		return -1;
	int rc = decide(&d->decision, &j.of, p);
	free_decision_inputs(&j);
	return rc;
}

/* What a search answers if its cost model errs by as much as elsewhere. */
static struct verdict_search pessimistic_of(const struct deployments *d,
					    size_t candidate, size_t arm)
{
	const struct capacity_answer *x = deployments_at(d, candidate, arm);
	struct verdict_search s = search_of(d, candidate, arm);
	if (!x || !x->has_pessimistic)
		return s;
	const struct capacity *c = &x->pessimistic;
	s.meets = c->verdict == CAPACITY_FOUND;
	s.tokens_per_s *= c->request_rate / s.rate;
	s.rate = s.low = c->request_rate;
	s.gpus_high = answer_gpus(x, answer_pessimistic_units(x).mid);
	return s;
}

size_t decision_inputs_pessimistic_choice(const struct deployments *d,
					  size_t arm)
{
	const struct verdict_of of = {.rate = d->rate};
	size_t best = d->n_candidates;
	double least = INFINITY;
	for (size_t candidate = 0; candidate < d->n_candidates; candidate++) {
		struct verdict_search s = pessimistic_of(d, candidate, arm);
		double cost = choice_expense(&of, &s, CHOICE_LOWER,
					     d->decision.is_priced);
		if (cost < least) {
			least = cost;
			best = candidate;
		}
	}
	return best;
}
