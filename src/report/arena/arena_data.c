/* arena_data.c -- Writes a leaderboard as JSON and CSV. */
#include <math.h>
#include <stdlib.h>
#include "base/csv.h"
#include "base/text.h"
#include "report/arena/arena.h"
#include "report/score/score.h"

/* ---- JSON ---- */

static void reasons(struct jw *j, const struct arena_set *s, size_t arm)
{
	const struct score_arm *a = &s->score.arm[arm];
	jw_array(j, "reasons");
	for (size_t d = 0; d < s->set.n_deployments; d++) {
		if (!a->why[d])
			continue;
		jw_object(j, NULL);
		jw_text(j, "deployment", s->set.deployment[d].name);
		jw_text(j, "reason", a->why[d]);
		jw_end(j);
	}
	jw_end(j);
}

static void to_best(struct jw *j, const struct step_pair *x, size_t arm,
		    double margin)
{
	if (!x) {
		jw_null(j, "to_best");
		return;
	}
	int first = x->a == arm;
	double sign = first ? 1 : -1;
	jw_flat_object(j, "to_best");
	jw_number(j, "difference", sign * x->difference);
	jw_number(j, "low", sign * (first ? x->low : x->high));
	jw_number(j, "high", sign * (first ? x->high : x->low));
	jw_number(j, "p", x->p);
	jw_number(j, "p_adjusted", x->p_adjusted);
	if (isnan(margin) || isnan(x->low_90))
		jw_null(j, "within_margin");
	else
		jw_bool(j, "within_margin", step_pair_is_within(x, margin));
	jw_text(j, "verdict",
		x->verdict == PAIR_FIRST || x->verdict == PAIR_SECOND
		    ? (x->verdict == PAIR_FIRST) == first ? "nearer" : "farther"
		    : pair_verdict_name[x->verdict]);
	jw_end(j);
}

static void arm_json(struct jw *j, const struct arena *a,
		     const struct arena_set *s, size_t k)
{
	const struct score_arm *arm = &s->score.arm[k];
	jw_object(j, NULL);
	jw_text(j, "name", arm->name);
	jw_text(j, "plugin", arm->plugin);
	jw_bool(j, "baseline", arm->is_baseline);
	score_tables_json(j, arm);
	step_figures_json(j, &s->set, s->score.measured, arm->us,
			  &arm->regime[REGIME_ALL]);
	jw_number(j, "skill", arm->skill);
	if (k < a->n_arms) {
		const struct arena_arm *x = &s->arm[k];
		jw_text(j, "fitted", fitted_name[x->fitted]);
		jw_bool(j, "ranked", x->is_ranked);
		score_ranks_json(j, "rank", x->rank);
		to_best(j, x->to_best, k, s->score.margin);
		jw_bool(j, "beats_baseline", arena_beats_baseline(s, k));
	}
	reasons(j, s, k);
	jw_end(j);
}

static void set_json(struct jw *j, const struct arena *a,
		     const struct arena_set *s)
{
	const struct step_set *set = &s->set;
	size_t b = s->score.baseline;
	jw_object(j, NULL);
	jw_text(j, "name", s->name);
	jw_text(j, "file", set->file[0].path);
	jw_uint(j, "rows", set->n_given);
	jw_uint(j, "used", set->n);
	jw_array(j, "deployments");
	for (size_t d = 0; d < set->n_deployments; d++)
		jw_text(j, NULL, set->deployment[d].name);
	jw_end(j);
	jw_number(j, "repeat", s->score.repeat);
	jw_text(j, "baseline", b == SIZE_MAX ? NULL : s->score.arm[b].name);
	jw_text(j, "best",
		s->best == SIZE_MAX ? NULL : s->score.arm[s->best].name);
	jw_array(j, "arms");
	for (size_t k = 0; k < s->score.n; k++)
		arm_json(j, a, s, k);
	jw_end(j);
	jw_end(j);
}

static void sets_json(struct jw *j, const char *key, const struct arena *a,
		      int is_runs)
{
	jw_array(j, key);
	for (size_t i = 0; i < a->n; i++)
		if (a->set[i].is_runs == is_runs)
			set_json(j, a, &a->set[i]);
	jw_end(j);
}

static void overall_json(struct jw *j, const struct arena *a,
			 const struct arena_overall *o)
{
	jw_object(j, NULL);
	jw_text(j, "arm", arena_arm_name(a, o->arm));
	if (o->place)
		jw_uint(j, "place", o->place);
	else
		jw_null(j, "place");
	jw_uint(j, "sets", o->sets);
	jw_number(j, "skill", o->skill);
	jw_object(j, "ranks");
	for (size_t i = 0; i < a->n; i++)
		score_ranks_json(j, a->set[i].name, a->set[i].arm[o->arm].rank);
	jw_end(j);
	jw_flat_array(j, "fitted_to");
	for (size_t i = 0; i < a->n; i++)
		if (a->set[i].arm[o->arm].fitted == FITTED_YES)
			jw_text(j, NULL, a->set[i].name);
	jw_end(j);
	jw_array(j, "lacks");
	for (size_t i = 0; i < a->n; i++) {
		const struct arena_set *s = &a->set[i];
		if (s->score.baseline == SIZE_MAX || s->arm[o->arm].has_most)
			continue;
		jw_object(j, NULL);
		jw_text(j, "set", s->name);
		jw_text(j, "reason", arena_why(s, o->arm));
		jw_end(j);
	}
	jw_end(j);
	jw_end(j);
}

/* The sentences of the answer as one text. */
static void verdict(struct jw *j, const struct arena *a)
{
	struct document d = {0};
	struct text t;
	FILE *f = text_begin(&t);
	arena_answer(a, &d);
	for (size_t i = 0; f && i < d.answer.n; i++)
		fprintf(f, "%s%s", i ? " " : "", d.answer.item[i]);
	char *text = text_end(&t);
	jw_text(j, "verdict", text);
	free(text);
	document_free(&d);
}

void arena_json(const struct arena *a, FILE *f)
{
	struct jw j = jw_document(f);
	jw_text(&j, "schema", "stepcost arena 1");
	jw_text(&j, "stepcost", PACKAGE_VERSION);
	jw_text(&j, "command", "arena");
	verdict(&j, a);
	sets_json(&j, "sets", a, 0);
	sets_json(&j, "runs", a, 1);
	jw_array(&j, "overall");
	for (size_t i = 0; a->n_with_baseline && i < a->n_arms; i++)
		overall_json(&j, a, &a->overall[i]);
	jw_finish(&j);
}

/* ---- CSV ---- */

static void csv_row(const struct arena *a, const struct arena_set *s, size_t k,
		    FILE *f)
{
	const struct score_arm *arm = &s->score.arm[k];
	const struct step_figures *e = &arm->regime[REGIME_ALL];
	const struct arena_arm *x = k < a->n_arms ? &s->arm[k] : NULL;
	const struct step_pair *best = x ? x->to_best : NULL;
	double sign = best && best->a == k ? 1 : -1;
	csv_text(f, s->name);
	csv_next_text(f, arm->name);
	fprintf(f, ",%zu,%zu", e->n, s->set.n);
	for (int i = 0; i < N_STEP_FIGURES; i++)
		csv_next_number(f, e->of[i]);
	csv_next_number(f, best ? sign * (sign > 0 ? best->low : best->high)
				: (double)NAN);
	csv_next_number(f, best ? sign * (sign > 0 ? best->high : best->low)
				: (double)NAN);
	csv_next_number(f, arm->skill);
	if (x && x->rank[0])
		fprintf(f, ",%zu,%zu,%s\n", x->rank[0], x->rank[1],
			fitted_name[x->fitted]);
	else
		fprintf(f, ",,,%s\n", x ? fitted_name[x->fitted] : "");
}

void arena_csv(const struct arena *a, FILE *f)
{
	fputs("set,arm,n,of", f);
	for (int i = 0; i < N_STEP_FIGURES; i++)
		fprintf(f, ",%s", step_figure_name[i]);
	fputs(",to_best_low,to_best_high,skill,rank_low,rank_high,fitted\n", f);
	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < a->set[i].score.n; k++)
			csv_row(a, &a->set[i], k, f);
}
