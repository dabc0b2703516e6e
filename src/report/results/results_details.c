/* results_details.c -- All figures of `run` and `compare`: metrics, pools,
 * steps, lookups, intervals. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "record/metrics.h"
#include "report/results/pools.h"
#include "report/results/results.h"
#include "report/results/simulated.h"
#include "report/results/support.h"

/* With more arms than SEVERAL no metric is compared arm by arm: the list would
 * be too long. */
enum { SEVERAL = 10 };

/* Returns NULL if the arm failed. */
static const struct outcome *outcome_of(const struct results *r, size_t arm)
{
	return r->arm[arm].error ? NULL : &r->arm[arm].record->outcome;
}

int results_has_slo(const struct results *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (outcome_of(r, i) && outcome_of(r, i)->slo_given)
			return 1;
	return 0;
}

/* Adds the head of a table with a group of columns for each arm. */
static void arms_head(struct columns *c, const struct results *r,
		      const char *label, size_t difference)
{
	columns_row(c, "%s", label);
	for (size_t i = 0; i < r->n; i++) {
		if (r->arm[i].error)
			continue;
		columns_cell(c, i, 0, "%s", r->arm[i].name);
		if (i && difference)
			columns_cell(c, i, difference, "difference");
	}
}

static void difference(struct columns *c, size_t arm, size_t at, double v,
		       double was, int decimals, const char *behind)
{
	if (arm && !isnan(v) && !isnan(was))
		columns_cell(c, arm, at, "%+.*f%s", decimals, v - was, behind);
}

/* ---- a row for each metric ---- */

static const char *mark(const struct metric *m, const struct outcome *o)
{
	return m->tail && o->saturation == SATURATION_OVERLOADED ? "!" : "";
}

static double first_of(const struct results *r, const struct metric *m)
{
	const struct outcome *o = outcome_of(r, 0);
	return o ? metric_value(m, o) : (double)NAN;
}

static void metric_row(struct columns *c, const struct results *r,
		       const struct metric *m)
{
	double was = first_of(r, m);
	columns_metric(
	    c, m->name,
	    strstr(m->name, "_ms") || strstr(m->name, "_us") ? "" : m->unit);
	for (size_t i = 0; i < r->n; i++) {
		const struct outcome *o = outcome_of(r, i);
		double v = o ? metric_value(m, o) : (double)NAN;
		double change = 100 * (v / was - 1);
		if (!o)
			continue;
		columns_number(c, i, 0, v, m->decimals, mark(m, o));
		difference(c, i, 1, v, was, m->decimals, "");
		if (i && change == 0)
			columns_cell(c, i, 2, "=  ");
		else if (i && isfinite(change))
			columns_cell(c, i, 2, "%+.1f %%%s", change,
				     results_is_tie(r, i, m->name) ? "~" : " ");
	}
}

/* Returns 1 if the metric gets a row.  A metric that only some runs have gets
 * one only if an arm has a figure for it. */
static int is_shown(const struct results *r, const struct metric *m)
{
	int any = 0, positive = 0;
	for (size_t i = 0; i < r->n; i++) {
		const struct outcome *o = outcome_of(r, i);
		any |= o && !isnan(metric_value(m, o));
		positive |= o && metric_value(m, o) > 0;
	}
	return m->special                            ? any
	       : m->rare                             ? positive
	       : !strcmp(m->name, "request_goodput") ? any
						     : m->headline;
}

static void position_rows(struct columns *c, const struct results *r)
{
	uint32_t most = 0;
	for (size_t i = 0; i < r->n; i++)
		if (outcome_of(r, i) && outcome_of(r, i)->drafts > most)
			most = outcome_of(r, i)->drafts;
	for (uint32_t k = 0; k < most; k++) {
		char name[METRIC_NAME_AT];
		struct metric at = metric_of_position(k, name);
		if (is_shown(r, &at))
			metric_row(c, r, &at);
	}
}

static void all_metrics(const struct results *r, struct document *d)
{
	struct columns c = {.n_groups = r->n, .per_group = 3};
	arms_head(&c, r, "all metrics", 1);
	for (size_t i = 0; i < n_metrics; i++) {
		if (is_shown(r, &metric[i]))
			metric_row(&c, r, &metric[i]);
		if (metric[i].positions)
			position_rows(&c, r);
	}
	document_heading(d, "Metrics");
	document_table(d, &c);
}

static void pools(const struct results *r, struct document *d)
{
	struct columns c;
	if (!pools_any(r))
		return;
	document_heading(d, "Prefill and decode apart");
	pools_columns(&c, r);
	document_table(d, &c);
	pools_transfers(&c, r);
	document_table(d, &c);
}

/* ---- a row for each part of a step ---- */

/* Returns the host's part that contains a part named by a plugin, or -1. */
static int part_that_has(const struct named_part *part)
{
	static const int of[] = {
	    [SC_PART_GEMM] = PART_PREFILL_GEMM,
	    [SC_PART_ATTENTION] = PART_PREFILL_ATTENTION,
	    [SC_PART_COMM] = PART_COMM,
	    [SC_PART_OVERHEAD] = PART_OVERHEAD,
	};
	int in_decode =
	    part->phase == SC_DECODE ? PART_DECODE_GEMM - PART_PREFILL_GEMM : 0;
	return part->kind <= SC_PART_OVERHEAD ? of[part->kind] + in_decode : -1;
}

/* Returns the mean time of a part in a step of an arm, or of the part with that
 * name within it, µs.  NaN: the arm has none. */
static double part_us(const struct results *r, size_t arm, int part,
		      const char *name)
{
	if (r->arm[arm].error)
		return NAN;
	const struct breakdown *b = &r->arm[arm].record->breakdown;
	if (!name)
		return breakdown_sum_us(b, (enum part)part) / (double)b->steps;
	for (uint32_t i = 0; i < b->named.n; i++)
		if (part_that_has(&b->named.part[i]) == part &&
		    !strcmp(b->named.part[i].name, name))
			return breakdown_named_us(b, i) / (double)b->steps;
	return NAN;
}

static int any_part(const struct results *r, int part, const char *name)
{
	for (size_t i = 0; i < r->n; i++)
		if (isgreater(part_us(r, i, part, name), 0))
			return 1;
	return 0;
}

/* Parts that overlap have shares that sum to more than one. */
static void part_row(struct columns *c, const struct results *r, int part,
		     const char *name)
{
	double was = part_us(r, 0, part, name);
	if (!any_part(r, part, name))
		return;
	columns_row(c, "%s%s", name ? "  " : "", name ? name : part_name[part]);
	for (size_t i = 0; i < r->n; i++) {
		double v = part_us(r, i, part, name);
		if (r->arm[i].error)
			continue;
		const struct breakdown *b = &r->arm[i].record->breakdown;
		double all = b->total_us / (double)b->steps;
		columns_number(c, i, 0, v, 1, "");
		if (!isnan(v) && all > 0)
			columns_cell(c, i, 1, "%.1f %%", 100 * v / all);
		difference(c, i, 2, v, was, 1, "");
	}
}

/* Adds the parts that plugins name within one of the host's parts, each name
 * once. */
static void named_rows(struct columns *c, const struct results *r, int part)
{
	for (size_t i = 0; i < r->n; i++) {
		if (r->arm[i].error)
			continue;
		const struct named_parts *n =
		    &r->arm[i].record->breakdown.named;
		for (uint32_t k = 0; k < n->n; k++) {
			const char *name = n->part[k].name;
			int is_new = part_that_has(&n->part[k]) == part;
			for (size_t j = 0; is_new && j < i; j++)
				is_new = isnan(part_us(r, j, part, name));
			if (is_new)
				part_row(c, r, part, name);
		}
	}
}

static void step_time(const struct results *r, struct document *d)
{
	struct columns c = {.n_groups = r->n, .per_group = 3};
	arms_head(&c, r, "us per step, share", 2);
	for (int i = 0; i < N_PARTS; i++) {
		part_row(&c, r, i, NULL);
		named_rows(&c, r, i);
	}
	document_heading(d, "Parts of a step");
	document_table(d, &c);
}

/* ---- sources of the times ---- */

static void coverage_row(struct columns *c, const struct arm_result *a)
{
	const struct outcome *o = &a->record->outcome;
	double sum = 0;
	for (size_t k = 0; k < COVERAGE_CLASSES; k++)
		sum += o->coverage_us[k];
	columns_row(c, "%s", a->name);
	for (size_t k = 0; k < COVERAGE_CLASSES && sum > 0; k++)
		if (o->coverage_us[k] > 0)
			columns_cell(c, k, 0, "%.2f %%",
				     100 * o->coverage_us[k] / sum);
}

static void estimate_row(struct columns *c, const struct arm_result *a,
			 const struct guessed_shape *g)
{
	const struct outcome *o = &a->record->outcome;
	double sum = 0;
	for (size_t k = 0; k < COVERAGE_CLASSES; k++)
		sum += o->coverage_us[k];
	columns_row(c, "%s", a->name);
	columns_words(c, 0, 0, "%s", provenance_name[g->provenance]);
	columns_cell(c, 0, 1, "%u", g->n_decode);
	if (g->n_prefill)
		columns_cell(c, 0, 2, "%u of up to %u", g->n_prefill,
			     g->prefill_tokens);
	columns_cell(c, 0, 3, "%u", g->max_context);
	columns_cell(c, 0, 4, "%" PRIu64, g->steps);
	columns_number(c, 0, 5, g->time_us / 1e3, 1, "");
	columns_cell(c, 0, 6, "%.2f %%", 100 * g->time_us / sum);
}

/* Adds the tables of how lookups priced the steps: shares by kind, and the
 * costliest estimates. */
static void coverage(const struct results *r, struct document *d)
{
	static const char *const head[] = {
	    "source", "decodes", "prefill tokens", "context up to",
	    "steps",  "ms",      "share"};
	enum { N = sizeof head / sizeof *head, MOST = 3 };
	struct columns c = {
	    .n_groups = COVERAGE_CLASSES, .per_group = 1, .is_plain = 1};
	struct columns estimates = {.n_groups = 1, .per_group = N};
	columns_row(&c, "share of step time");
	for (size_t k = 0; k < COVERAGE_CLASSES; k++)
		columns_cell(&c, k, 0, "%s",
			     k == COVERAGE_NONE ? "none" : provenance_name[k]);
	columns_row(&estimates, "estimated steps");
	for (size_t k = 0; k < N; k++)
		columns_cell(&estimates, 0, k, "%s", head[k]);
	for (size_t i = 0; i < r->n; i++) {
		const struct outcome *o = outcome_of(r, i);
		if (o)
			coverage_row(&c, &r->arm[i]);
		for (uint32_t k = 0; o && k < o->n_guessed && k < MOST; k++)
			estimate_row(&estimates, &r->arm[i], &o->guessed[k]);
	}
	document_heading(d, "Lookups that priced the steps");
	document_say(d, "Shares of the step time; none: a formula by design.");
	document_table(d, &c);
	document_table(d, &estimates);
}

/* ---- how far to trust the results ---- */

static void interval_row(struct columns *c, const struct arm_result *a, int k)
{
	const struct trust_interval *x = &a->trusted.interval[k];
	const struct support *s = k < TRUSTED_WATTS
				      ? &a->trusted.support
				      : &a->trusted.energy.support;
	double v, low, high;
	if (!interval_ends(&a->trusted, &a->record->outcome, k, &v, &low,
			   &high))
		return;
	columns_metric(c, trusted_metric[k], "");
	columns_words(c, 0, 0, "%s", a->name);
	columns_cell(c, 0, 1, "%.4g", v);
	columns_value(c, 0, 1, v);
	columns_cell(c, 0, 2, "%.4g to %.4g", low, high);
	columns_cell(c, 0, 3, "%u", x->n);
	columns_words(c, 0, 4, "%s%s", x->group,
		      s->verdict == SUPPORT_EXTRAPOLATED ? ", a wider group"
							 : "");
}

static void intervals(const struct results *r, struct document *d)
{
	static const char *const head[] = {"arm", "predicted", "90 % interval",
					   "runs", "of"};
	struct columns c = columns_begin(head, 5, "intervals");
	for (int k = 0; k < N_TRUSTED; k++)
		for (size_t i = 0; i < r->n; i++)
			if (!r->arm[i].error)
				interval_row(&c, &r->arm[i], k);
	document_table(d, &c);
}

/* Names the measured runs behind each arm, its energy, and how sure the model
 * itself is. */
static void support(const struct results *r, struct document *d)
{
	document_heading(d, "Support");
	for (size_t i = 0; i < r->n; i++) {
		const struct arm_result *a = &r->arm[i];
		if (a->error)
			continue;
		const struct energy_priced x =
		    energy_priced_run(&a->record->outcome);
		char *of = support_text(&a->trusted.support);
		char *energy = energy_text(&a->trusted.energy, &x);
		document_say(d, "%s: %s", a->name, of ? of : "");
		if (energy && *energy)
			document_say(d, "%s: %s", a->name, energy);
		char *own = model_intervals_text(&a->record->uncertainty,
						 &a->record->outcome);
		if (own)
			document_say(d, "%s: %s", a->name, own);
		d->failed |= !of || !energy;
		free(own);
		free(of);
		free(energy);
	}
	intervals(r, d);
}

static void say_state(struct document *d, const struct arm_result *a,
		      const char *cache)
{
	const struct outcome *o = &a->record->outcome;
	int is_new = strcmp(cache, a->record->num_gpu_blocks) != 0;
	document_say(d, "%s: %s%s%s%s", a->name, saturation_name[o->saturation],
		     o->saturation == SATURATION_STABLE && o->is_too_short
			 ? " so far (arrivals lasted less than 30 mean "
			   "latencies)"
			 : "",
		     is_new ? "; " : "",
		     is_new ? a->record->num_gpu_blocks : "");
}

static void states(const struct results *r, struct document *d)
{
	const char *cache = "";
	document_heading(d, "Saturation and KV cache");
	for (size_t i = 0; i < r->n; i++) {
		if (r->arm[i].error)
			continue;
		say_state(d, &r->arm[i], cache);
		cache = r->arm[i].record->num_gpu_blocks;
	}
}

/* ---- the set-up ---- */

/* Names the number and the hash of the requests, from an arm that did not fail.
 */
static void requests(const struct results *r, struct document *d)
{
	size_t i = 0;
	while (i + 1 < r->n && r->arm[i].error)
		i++;
	if (i == r->n || r->arm[i].error)
		return;
	char *text;
	if (asprintf(&text,
		     "%" PRIu64 " (hash %016" PRIx64 "), seed %" PRIu64 "%s",
		     r->arm[i].record->outcome.requests,
		     r->arm[i].record->request_hash, r->seed,
		     r->n > 1 ? ", the same for every arm" : "") < 0)
		text = NULL;
	document_own(d, DOCUMENT_FACT, "requests", text);
}

void results_details(const struct results *r, struct document *d)
{
	document_heading(d, "Simulated set-up");
	if (r->config)
		simulated_facts(r->config, r->n, d);
	requests(r, d);
	if (r->n <= SEVERAL) {
		all_metrics(r, d);
		pools(r, d);
		step_time(r, d);
	}
	coverage(r, d);
	support(r, d);
	states(r, d);
}
