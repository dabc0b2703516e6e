/* capacity.c -- Writes capacities, expenses and choices of deployments as CSV
 * and JSON. */
#include "report/capacity.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"
#include "base/json/json_writer.h"
#include "base/text.h"
#include "report/capacity_parts.h"
#include "report/results/support.h"

static int is_warning(const char *line)
{
	return !strncmp(line, "warning: ", 9);
}

/* ---- CSV and JSON: the same figures under the same names ---- */

static void csv_found(FILE *f, const struct deployments *d,
		      const struct capacity_answer *x)
{
	double v[N_CAPACITY_FIGURES];
	answer_figures(x, v);
	fprintf(f, ",%s", capacity_verdict_name[x->capacity.verdict]);
	/* CSV has no infinity: an impossible value leaves its cell empty. */
	for (int k = 0; k < N_CAPACITY_FIGURES; k++)
		csv_next_number(f, isfinite(v[k]) ? v[k] : NAN);
	fprintf(f, ",%s,%s,%s", capacity_limited_by(&x->capacity, &d->bounds),
		capacity_stop_name[x->capacity.stopped_by],
		capacity_basis_name[x->capacity.basis]);
	for (size_t k = 0; k < d->bounds.n; k++)
		csv_next_number(f, x->capacity.seen.value[k]);
}

/* Writes all warnings into one cell. */
static void csv_warnings(FILE *f, const struct names *said)
{
	size_t n = 0;
	struct text t;
	FILE *m = text_begin(&t);
	if (!m)
		return;
	for (size_t i = 0; i < said->n; i++)
		if (is_warning(said->item[i]))
			fprintf(m, "%s%s", n++ ? " | " : "", said->item[i]);
	fclose(m);
	csv_text(f, t.s);
	free(t.s);
}

static void csv_row(FILE *f, const struct deployments *d, size_t candidate,
		    size_t arm)
{
	const struct capacity_answer *x = deployments_at(d, candidate, arm);
	csv_text(f, d->candidate[candidate].name);
	csv_next_text(f, capacity_arm(d, candidate, arm));
	if (x)
		csv_found(f, d, x);
	for (size_t k = 0; !x && k < N_CAPACITY_FIGURES + d->bounds.n + 4; k++)
		fputc(',', f);
	csv_next_text(f,
		      x ? "" : deployments_job(d, candidate, arm)->complaint);
	fprintf(f, ",%s,", x ? support_name[x->trusted.support.verdict] : "");
	csv_warnings(f, deployments_said(d, candidate, arm));
	fputc('\n', f);
}

void capacity_csv(const struct deployments *d, FILE *f)
{
	fputs("serving,arm,verdict", f);
	for (int k = 0; k < N_CAPACITY_FIGURES; k++)
		fprintf(f, ",%s", capacity_figure[k].name);
	fputs(",limited_by,stopped_by,basis", f);
	for (size_t i = 0; i < d->bounds.n; i++)
		fprintf(f, ",%s", slo_bound_name(&d->bounds.bound[i]));
	fputs(",error,support,warnings\n", f);
	for (size_t candidate = 0; candidate < d->n_candidates; candidate++)
		for (size_t arm = 0; arm < d->n_arms; arm++)
			csv_row(f, d, candidate, arm);
}

static void json_found(struct jw *j, const struct deployments *d,
		       const struct capacity_answer *x)
{
	double v[N_CAPACITY_FIGURES];
	answer_figures(x, v);
	jw_text(j, "verdict", capacity_verdict_name[x->capacity.verdict]);
	for (int k = 0; k < N_CAPACITY_FIGURES; k++)
		jw_number(j, capacity_figure[k].name, v[k]);
	jw_text(j, "limited_by", capacity_limited_by(&x->capacity, &d->bounds));
	jw_text(j, "stopped_by", capacity_stop_name[x->capacity.stopped_by]);
	jw_text(j, "basis", capacity_basis_name[x->capacity.basis]);
	for (size_t k = 0; k < d->bounds.n; k++)
		jw_number(j, slo_bound_name(&d->bounds.bound[k]),
			  x->capacity.seen.value[k]);
}

static void json_test(struct jw *j, const struct deployments *d,
		      const struct capacity_answer *x,
		      const struct capacity_test *t)
{
	jw_flat_object(j, NULL);
	jw_number(j, "rate", t->rate);
	jw_int(j, "replicas", t->units * x->replicas_per_unit);
	jw_text(j, "verdict", capacity_carries_name[t->verdict]);
	jw_flat_object(j, "excess");
	for (size_t i = 0; i < d->bounds.n; i++)
		jw_number(j, slo_bound_name(&d->bounds.bound[i]), t->excess[i]);
	jw_end(j);
	jw_number(j, "low", t->low);
	jw_number(j, "high", t->high);
	jw_int(j, "replications", t->replications);
	jw_int(j, "requests_per_replication",
	       (int64_t)t->requests_per_replication);
	jw_int(j, "grown", t->grown);
	jw_end(j);
}

/* The question, the router of the fleet, and the tests. */
static void json_fleet(struct jw *j, const struct deployments *d,
		       const struct capacity_answer *x)
{
	const struct capacity *c = &x->capacity;
	jw_text(j, "question", capacity_question_name[c->question]);
	capacity_outside_json(&x->outside, j);
	jw_array(j, "tests");
	for (uint32_t i = 0; i < c->n_tests; i++)
		json_test(j, d, x, &x->test[i]);
	jw_end(j);
}

/* The GPUs and what an hour of each is taken to cost. */
static void json_prices(struct jw *j, const struct deployments *d, size_t i,
			const struct capacity_answer *x)
{
	jw_array(j, "prices");
	for (int pool = 0; pool < 2; pool++) {
		const char *name = capacity_gpu(d, i, pool);
		const struct price *price = &x->price[pool];
		if (!name)
			continue;
		jw_flat_object(j, NULL);
		jw_text(j, "gpu", name);
		jw_number(j, "usd_per_hour",
			  price->usd_per_hour > 0 ? price->usd_per_hour : NAN);
		jw_text(j, "kind", price->lists ? price->kind : NULL);
		jw_int(j, "lists", price->lists);
		jw_text(j, "from", price->lists ? price->from : NULL);
		jw_text(j, "to", price->lists ? price->to : NULL);
		jw_end(j);
	}
	jw_end(j);
}

/* Writes the answer at the pessimistic end of intervals. */
static void json_pessimistic(struct jw *j, const char *name,
			     const struct capacity_answer *x,
			     const struct capacity *c)
{
	jw_flat_object(j, name);
	jw_number(j, "coverage", INTERVAL_COVERAGE);
	jw_text(j, "verdict", capacity_verdict_name[c->verdict]);
	jw_number(j, "request_rate", c->request_rate);
	jw_number(j, "rate_scale", c->scale);
	if (c->question == QUESTION_FLEET)
		jw_int(j, "replicas", c->units_high * x->replicas_per_unit);
	jw_end(j);
}

static void json_trusted(struct jw *j, const struct capacity_answer *x)
{
	const struct energy_priced energy = capacity_energy_priced(x);
	support_json(&x->trusted.support, j);
	energy_json(&x->trusted.energy, &energy, j);
	if (x->has_pessimistic)
		json_pessimistic(j, "pessimistic", x, &x->pessimistic);
	if (x->has_own)
		json_pessimistic(j, "model_pessimistic", x, &x->own);
}

static void json_search(struct jw *j, const struct deployments *d,
			size_t candidate, size_t arm)
{
	const struct capacity_answer *x = deployments_at(d, candidate, arm);
	const struct names *said = deployments_said(d, candidate, arm);
	jw_object(j, NULL);
	jw_text(j, "serving", d->candidate[candidate].name);
	jw_text(j, "arm", capacity_arm(d, candidate, arm));
	if (x)
		json_fleet(j, d, x);
	if (x)
		json_found(j, d, x);
	else
		jw_text(j, "error",
			deployments_job(d, candidate, arm)->complaint);
	if (x)
		json_prices(j, d, candidate * d->n_arms + arm, x);
	if (x)
		json_trusted(j, x);
	jw_flat_array(j, "warnings");
	for (size_t i = 0; i < said->n; i++)
		if (is_warning(said->item[i]))
			jw_text(j, NULL, said->item[i]);
	jw_end(j);
	jw_end(j);
}

static void json_head(struct jw *j, const struct deployments *d)
{
	jw_int(j, "schema", JSON_SCHEMA);
	jw_text(j, "stepcost", PACKAGE_VERSION);
	jw_text(j, "command", "capacity");
	jw_flat_object(j, "slo");
	for (size_t i = 0; i < d->bounds.n; i++)
		jw_number(j, slo_bound_name(&d->bounds.bound[i]),
			  d->bounds.bound[i].limit);
	jw_end(j);
	if (d->rate > 0)
		jw_number(j, "rate", d->rate);
	jw_number(j, "confidence", d->how.confidence);
}

static void json_comparisons(struct jw *j, const struct deployments *d)
{
	jw_array(j, "comparisons");
	for (size_t i = 0; i < d->n_pairs; i++) {
		const struct deployment_pair *x = &d->pair[i];
		jw_flat_object(j, NULL);
		jw_text(j, "serving", d->candidate[x->candidate].name);
		jw_text(j, "arm", capacity_arm(d, x->candidate, x->a));
		jw_text(j, "than", capacity_arm(d, x->candidate, x->b));
		jw_number(j, "ratio", x->is.ratio);
		jw_number(j, "low", x->is.low);
		jw_number(j, "high", x->is.high);
		jw_text(j, "verdict", comparison_verdict_name[x->is.verdict]);
		jw_end(j);
	}
	jw_end(j);
}

/* Returns the candidate that an arm chooses; NULL: the arm failed; "none": it
 * meets the bounds nowhere. */
static const char *chosen(const struct deployments *d, size_t arm)
{
	size_t candidate = d->decision.choice[arm].candidate;
	for (size_t i = 0; i < d->n_candidates; i++)
		if (!deployments_at(d, i, arm))
			return NULL;
	return candidate < d->n_candidates ? d->candidate[candidate].name
					   : "none";
}

static void json_decision(struct jw *j, const struct deployments *d)
{
	jw_object(j, "decision");
	jw_text(j, "verdict", verdict_name[d->decision.verdict]);
	jw_flat_array(j, "sentences");
	for (size_t i = 0; i < d->decision.sentences.n; i++)
		jw_text(j, NULL, d->decision.sentences.item[i]);
	jw_end(j);
	jw_array(j, "choices");
	for (size_t arm = 0; arm < d->n_arms; arm++) {
		const struct verdict_choice *c = &d->decision.choice[arm];
		if (c->candidate == d->n_candidates)
			continue;
		jw_flat_object(j, NULL);
		jw_text(j, "arm", capacity_arm(d, 0, arm));
		jw_text(j, "serving", d->candidate[c->candidate].name);
		jw_number(j, "gpus_low", c->gpus_low);
		jw_number(j, "gpus_high", c->gpus_high);
		jw_number(j, "usd_per_hour_low", c->usd_low);
		jw_number(j, "usd_per_hour_high", c->usd_high);
		jw_end(j);
	}
	jw_end(j);
	jw_array(j, "failed");
	for (size_t i = 0; i < d->n_candidates * d->n_arms; i++) {
		size_t candidate = i / d->n_arms, arm = i % d->n_arms;
		if (deployments_at(d, candidate, arm))
			continue;
		jw_flat_object(j, NULL);
		jw_text(j, "arm", capacity_arm(d, candidate, arm));
		jw_text(j, "serving", d->candidate[candidate].name);
		jw_text(j, "why",
			deployments_job(d, candidate, arm)->complaint);
		jw_end(j);
	}
	jw_end(j);
	jw_end(j);
}

static void json_changes(struct jw *j, enum verdict v)
{
	if (v == VERDICT_ALIKE)
		jw_bool(j, "decision_changes", 0);
	else if (v == VERDICT_COUNT || v == VERDICT_SHAPE)
		jw_bool(j, "decision_changes", 1);
	else
		jw_text(j, "decision_changes", NULL);
}

void capacity_json(const struct deployments *d, FILE *f)
{
	struct jw j = jw_document(f);
	json_head(&j, d);
	jw_array(&j, "searches");
	for (size_t candidate = 0; candidate < d->n_candidates; candidate++)
		for (size_t arm = 0; arm < d->n_arms; arm++)
			json_search(&j, d, candidate, arm);
	jw_end(&j);
	json_comparisons(&j, d);
	json_decision(&j, d);
	jw_object(&j, "decisions");
	for (size_t arm = 0; arm < d->n_arms; arm++)
		jw_text(&j, capacity_arm(d, 0, arm), chosen(d, arm));
	jw_end(&j);
	json_changes(&j, d->decision.verdict);
	jw_finish(&j);
}
