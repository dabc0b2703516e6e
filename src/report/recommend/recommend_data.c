/* recommend_data.c -- Writes a recommendation for programs. */
#include <math.h>
#include <stdlib.h>
#include "base/csv.h"
#include "base/json/json_writer.h"
#include "base/text.h"
#include "recommend/pessimistic.h"
#include "report/capacity_parts.h"
#include "report/recommend/pareto_rows.h"
#include "report/recommend/parts.h"
#include "report/recommend/recommend.h"
#include "report/results/support.h"

static const char *role_of(const struct recommend *r, size_t arm, size_t k)
{
	size_t point = r->shortlist[k];
	return point == r->arm[arm].winner      ? "winner"
	       : point == r->arm[arm].runner_up ? "runner up"
						: "other";
}

static const char *verdict_of(const struct recommend *r, size_t arm, size_t k)
{
	const struct recommend_found *x = recommend_found(r, arm, k);
	return x->is_done ? capacity_verdict_name[x->capacity.verdict]
	       : r->arm[arm].survey[r->shortlist[k]].gpus && !x->is_wanted
		   ? "not searched"
		   : "cannot be";
}

/* ---- CSV ---- */

static void csv_point(const struct recommend *r, size_t arm, const char *role,
		      size_t point, FILE *f)
{
	const struct plan *l = &r->sweep.plan;
	csv_text(f, recommend_arm_name(r, arm));
	fprintf(f, ",%s", role);
	for (size_t a = 0; a < l->n_axes; a++)
		csv_next_text(f, plan_value(l, point, a));
}

static void csv_figures(const double v[RECOMMEND_FIGURES], FILE *f)
{
	for (int n = 0; n < RECOMMEND_FIGURES; n++)
		csv_next_number(f, v[n]);
}

static double lost(const struct recommend *r, size_t arm, size_t k)
{
	const double *score = &r->score[arm * r->n_shortlist];
	return r->best[arm] == SIZE_MAX ? (double)NAN
					: 1 - score[k] / score[r->best[arm]];
}

static void csv_searched(const struct recommend *r, size_t arm, size_t k,
			 FILE *f)
{
	const struct recommend_found *x = recommend_found(r, arm, k);
	const struct capacity *c = &x->capacity;
	int found = x->is_done && c->verdict == CAPACITY_FOUND;
	double v[RECOMMEND_FIGURES];
	recommend_figures(r, arm, k, v);
	csv_point(r, arm, role_of(r, arm, k), r->shortlist[k], f);
	fprintf(f, ",%s,%s", verdict_of(r, arm, k),
		x->is_done ? recommend_limit(r, c) : "");
	csv_figures(v, f);
	csv_next_number(f, found ? c->low : (double)NAN);
	csv_next_number(f, found && isfinite(c->high) ? c->high : (double)NAN);
	csv_next_number(f, lost(r, arm, k));
	fprintf(f, ",%s\n",
		x->is_done ? support_name[x->trusted.support.verdict] : "");
}

static void csv_pareto(const struct recommend *r, size_t arm, FILE *f)
{
	struct pareto_rows rows;
	pareto_rows(&rows, r, arm, 0);
	for (size_t i = 0; i < rows.n; i++) {
		csv_point(r, arm, "front", rows.row[i].point, f);
		fputs(",met,", f);
		csv_figures(rows.row[i].v, f);
		fputs(",,,,\n", f);
	}
	free(rows.row);
}

void recommend_csv(const struct recommend *r, FILE *f)
{
	const struct plan *l = &r->sweep.plan;
	fputs("arm,role", f);
	for (size_t a = 0; a < l->n_axes; a++)
		csv_next_text(f, l->axis[a].name);
	fputs(",verdict,limited_by", f);
	for (int i = 0; i < RECOMMEND_FIGURES; i++)
		fprintf(f, ",%s", recommend_figure[i].name);
	fputs(",request_rate_low,request_rate_high,regret,support\n", f);
	for (size_t i = 0; i < r->sweep.arms.n; i++)
		for (size_t k = 0; k < r->n_shortlist; k++)
			csv_searched(r, i, k, f);
	for (size_t i = 0; r->from->front && i < r->sweep.arms.n; i++)
		csv_pareto(r, i, f);
}

/* ---- JSON ---- */

static void json_point(struct jw *j, const char *key, const struct recommend *r,
		       size_t point)
{
	const struct plan *l = &r->sweep.plan;
	if (point == SIZE_MAX) {
		jw_null(j, key);
		return;
	}
	jw_object(j, key);
	for (size_t a = 0; a < l->n_axes; a++)
		if (*plan_value(l, point, a))
			jw_text(j, l->axis[a].name, plan_value(l, point, a));
	jw_end(j);
}

static void json_pool(struct jw *j, const struct recommend *r)
{
	struct recommend_counts c = recommend_count(r);
	jw_object(j, "pool");
	jw_uint(j, "configurations", c.points);
	jw_uint(j, "race_simulations", c.race);
	jw_uint(j, "search_simulations", c.search);
	jw_uint(j, "pareto_simulations", c.front);
	jw_uint(j, "untried", c.untried);
	jw_uint(j, "failed", c.failed);
	if (r->max_model_len)
		jw_uint(j, "max_model_len", r->max_model_len);
	jw_end(j);
}

static void json_out(struct jw *j, const struct recommend *r,
		     const struct recommend_arm *a)
{
	jw_array(j, "out");
	for (size_t i = 0; i < a->n; i++) {
		const struct race_track *t = &a->race.track[i];
		const struct capacity c = {.limited_by = t->limited_by};
		if (t->state != RACE_OUT)
			continue;
		jw_object(j, NULL);
		json_point(j, "configuration", r, a->entry[i].point);
		jw_number(j, "request_rate", t->asked * r->base_rate);
		jw_text(j, "limited_by",
			t->is_too_short
			    ? "too short"
			    : capacity_limited_by(&c, &r->sweep.bounds));
		jw_end(j);
	}
	jw_end(j);
}

static void json_reasons(struct jw *j, const struct recommend_arm *a)
{
	jw_array(j, "refused");
	for (size_t i = 0; i < a->reasons.n; i++) {
		jw_flat_object(j, NULL);
		jw_uint(j, "n", a->reasons.item[i].n);
		jw_bool(j, "failed", a->reasons.item[i].is_failure);
		jw_text(j, "why", a->reasons.item[i].example);
		jw_end(j);
	}
	jw_end(j);
}

static void json_searched(struct jw *j, const struct recommend *r, size_t arm)
{
	jw_array(j, "searched");
	for (size_t k = 0; k < r->n_shortlist; k++) {
		const struct recommend_found *x = recommend_found(r, arm, k);
		double v[RECOMMEND_FIGURES];
		recommend_figures(r, arm, k, v);
		jw_object(j, NULL);
		jw_text(j, "role", role_of(r, arm, k));
		json_point(j, "configuration", r, r->shortlist[k]);
		jw_text(j, "verdict", verdict_of(r, arm, k));
		for (int i = 0; i < RECOMMEND_FIGURES; i++)
			jw_number(j, recommend_figure[i].name, v[i]);
		if (x->is_done) {
			const struct energy_priced e =
			    recommend_priced(r, arm, k);
			const struct trust_interval *in =
			    &x->trusted.energy.joules;
			jw_number(j, "energy_per_token_j_low",
				  e.joules_per_token * in->low);
			jw_number(j, "energy_per_token_j_high",
				  e.joules_per_token * in->high);
			energy_json(&x->trusted.energy, &e, j);
			jw_number(j, "request_rate_low", x->capacity.low);
			jw_number(j, "request_rate_high", x->capacity.high);
			jw_text(j, "limited_by",
				recommend_limit(r, &x->capacity));
			jw_uint(j, "simulations", x->capacity.simulations);
			capacity_outside_json(&x->outside, j);
			support_json(&x->trusted.support, j);
		}
		jw_end(j);
	}
	jw_end(j);
}

static void json_nearest(struct jw *j, const struct recommend *r,
			 const struct recommend_arm *a)
{
	if (a->winner != SIZE_MAX || a->nearest == SIZE_MAX)
		return;
	jw_object(j, "nearest");
	json_point(j, "configuration", r, a->nearest);
	jw_text(j, "limited_by",
		capacity_limited_by(&a->nearest_run, &r->sweep.bounds));
	jw_number(j, "over_the_bound", a->miss);
	jw_end(j);
}

static void json_pessimistic(struct jw *j, const struct recommend *r,
			     size_t arm)
{
	const struct recommend_arm *a = &r->arm[arm];
	if (!pessimistic_is_known(a))
		return;
	jw_object(j, "pessimistic");
	jw_bool(j, "is_final", !pessimistic_rival(r, arm));
	jw_uint(j, "simulations", a->pessimistic_runs);
	jw_array(j, "searched");
	for (size_t k = 0; k < a->n_pessimistic; k++) {
		jw_object(j, NULL);
		json_point(j, "configuration", r,
			   a->entry[a->pessimistic[k].entry].point);
		jw_number(j,
			  r->is_closed ? "output_throughput" : "request_rate",
			  pessimistic_rate(r, arm, k));
		jw_end(j);
	}
	jw_end(j);
	jw_end(j);
}

static void json_arm(struct jw *j, const struct recommend *r, size_t i)
{
	const struct recommend_arm *a = &r->arm[i];
	jw_object(j, NULL);
	jw_text(j, "name", recommend_arm_name(r, i));
	json_point(j, "winner", r, a->winner);
	json_point(j, "runner_up", r, a->runner_up);
	if (r->best[i] != SIZE_MAX)
		jw_number(
		    j, "request_rate",
		    recommend_found(r, i, r->best[i])->capacity.request_rate);
	jw_uint(j, "possible", a->n);
	jw_uint(j, "tried", a->race.n_tried);
	jw_uint(j, "incumbents", a->race.n_incumbents);
	jw_uint(j, "simulations", a->race.simulations);
	jw_uint(j, "requests_per_run", a->race.requests);
	if (r->trace_requests)
		jw_uint(j, "looped", recommend_looped(r, i));
	jw_bool(j, "has_vote", r->votes[i]);
	json_pessimistic(j, r, i);
	json_nearest(j, r, a);
	json_reasons(j, a);
	json_searched(j, r, i);
	json_out(j, r, a);
	jw_flat_array(j, "warnings");
	for (size_t k = 0; k < a->warnings.n; k++)
		jw_text(j, NULL, a->warnings.item[k].example);
	jw_end(j);
	jw_end(j);
}

static void json_regret(struct jw *j, const struct recommend *r)
{
	size_t n = r->sweep.arms.n;
	jw_object(j, "regret");
	for (size_t i = 0; i < n; i++) {
		jw_flat_object(j, recommend_arm_name(r, i));
		for (size_t k = 0; k < n; k++)
			jw_number(j, recommend_arm_name(r, k),
				  regret_of(&r->regret, i, k));
		jw_end(j);
	}
	jw_end(j);
}

static void json_pareto(struct jw *j, const struct recommend *r, size_t arm)
{
	struct pareto_rows rows;
	pareto_rows(&rows, r, arm, 0);
	for (size_t i = 0; i < rows.n; i++) {
		jw_object(j, NULL);
		jw_text(j, "arm", recommend_arm_name(r, arm));
		json_point(j, "configuration", r, rows.row[i].point);
		for (int k = 0; k < RECOMMEND_FIGURES; k++)
			jw_number(j, recommend_figure[k].name,
				  rows.row[i].v[k]);
		jw_end(j);
	}
	free(rows.row);
}

/* Without --front there is no ladder, and the front is that of the race. */
static void json_fronts(struct jw *j, const struct recommend *r)
{
	jw_flat_array(j, "pareto_of");
	for (int i = 0; i < 2; i++)
		jw_text(j, NULL, recommend_figure[r->front[i]].name);
	jw_end(j);
	jw_array(j, "pareto");
	for (size_t i = 0; i < r->sweep.arms.n; i++)
		json_pareto(j, r, i);
	jw_end(j);
}

static void json_head(struct jw *j, const struct recommend *r)
{
	const struct bounds *b = &r->sweep.bounds;
	jw_int(j, "schema", JSON_SCHEMA);
	jw_text(j, "stepcost", PACKAGE_VERSION);
	jw_text(j, "command", "recommend");
	jw_text(j, "gpus", r->from->gpus);
	jw_text(j, "objective", recommend_objective_name[r->objective]);
	if (r->from->rate > 0)
		jw_number(j, "rate", r->from->rate);
	jw_flat_object(j, "slo");
	for (size_t i = 0; i < b->n; i++)
		jw_number(j, slo_bound_name(&b->bound[i]), b->bound[i].limit);
	jw_end(j);
	jw_number(j, "precision", r->from->precision);
}

static void json_sentences(struct jw *j, const char *key,
			   const struct recommend *r,
			   void (*write)(const struct recommend *r, FILE *f))
{
	struct text t;
	FILE *m = text_begin(&t);
	if (!m)
		return;
	write(r, m);
	fclose(m);
	if (t.n && t.s[t.n - 1] == '\n')
		t.s[t.n - 1] = '\0';
	jw_text(j, key, t.s);
	free(t.s);
}

void recommend_json(const struct recommend *r, FILE *f)
{
	struct jw j = jw_document(f);
	json_head(&j, r);
	json_pool(&j, r);
	json_sentences(&j, "assumption", r, recommend_assumption);
	jw_array(&j, "arms");
	for (size_t i = 0; i < r->sweep.arms.n; i++)
		json_arm(&j, r, i);
	jw_end(&j);
	json_regret(&j, r);
	json_fronts(&j, r);
	jw_text(
	    &j, "agreement",
	    agreement_name[regret_agreement(&r->regret, REGRET_TOLERANCE, 0)]);
	jw_text(
	    &j, "agreement_of_votes",
	    agreement_name[regret_agreement(&r->regret, REGRET_TOLERANCE, 1)]);
	json_sentences(&j, "says", r, recommend_agreement);
	json_sentences(&j, "short", r, recommend_short);
	json_sentences(&j, "pessimistic_ends", r, recommend_pessimistic_ends);
	jw_finish(&j);
}
