/* score_data.c -- Writes a score as JSON, CSV, rows and errors. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include "base/csv.h"
#include "report/results/support.h"
#include "report/score/score.h"
#include "trust/place.h"
#include "trust/scored.h"

/* ---- JSON ---- */

void step_figures_json(struct jw *j, const struct step_set *set,
		       const double *measured, const double *predicted,
		       const struct step_figures *f)
{
	jw_uint(j, "n", f->n);
	for (int k = 0; k < N_STEP_FIGURES; k++)
		jw_number(j, step_figure_name[k], f->of[k]);
	if (f->worst == SIZE_MAX) {
		jw_null(j, "worst");
		return;
	}
	jw_flat_object(j, "worst");
	jw_text(j, "step", set->row[f->worst].given->name);
	jw_number(j, "predicted_us", predicted[f->worst]);
	jw_number(j, "measured_us", measured[f->worst]);
	jw_end(j);
}

static void figures(struct jw *j, const struct score *s,
		    const struct score_arm *a, const struct step_figures *f)
{
	step_figures_json(j, s->set, s->measured, a->us, f);
}

void score_ranks_json(struct jw *j, const char *key, const size_t rank[2])
{
	if (!rank[0]) {
		jw_null(j, key);
		return;
	}
	jw_flat_array(j, key);
	jw_uint(j, NULL, rank[0]);
	jw_uint(j, NULL, rank[1]);
	jw_end(j);
}

static void reasons(struct jw *j, const struct score *s,
		    const struct score_arm *a)
{
	jw_array(j, "reasons");
	for (size_t d = 0; d < s->set->n_deployments; d++) {
		if (!a->why[d])
			continue;
		jw_object(j, NULL);
		jw_text(j, "deployment", s->set->deployment[d].name);
		jw_text(j, "reason", a->why[d]);
		jw_end(j);
	}
	jw_end(j);
}

/* Writes the errors of an arm by bins of steps, and by deployment. */
static void bins(struct jw *j, const struct score *s, const struct score_arm *a)
{
	jw_array(j, "bins");
	for (size_t i = 0; i < s->n_bins; i++)
		for (size_t k = 0; k < s->bins[i].n; k++) {
			jw_object(j, NULL);
			jw_text(j, "by", s->bins[i].by);
			jw_text(j, "bin", s->bins[i].bin[k].name);
			figures(j, s, a, &a->bin[i][k]);
			jw_end(j);
		}
	jw_end(j);
	jw_array(j, "deployments");
	for (size_t d = 0; d < s->set->n_deployments; d++) {
		jw_object(j, NULL);
		jw_text(j, "deployment", s->set->deployment[d].name);
		figures(j, s, a, &a->deployment[d]);
		jw_end(j);
	}
	jw_end(j);
}

void score_tables_json(struct jw *j, const struct score_arm *a)
{
	jw_text(j, "tables", a->tables && *a->tables ? a->tables : NULL);
	jw_bool(j, "own_tables", a->has_own_tables);
}

/* Writes all about an arm: its errors, ranks, bins and tables. */
static void arm(struct jw *j, const struct score *s, const struct score_arm *a)
{
	jw_object(j, NULL);
	jw_text(j, "name", a->name);
	jw_text(j, "plugin", a->plugin);
	jw_bool(j, "baseline", a->is_baseline);
	score_tables_json(j, a);
	jw_uint(j, "priced", a->priced);
	jw_uint(j, "unpriced", s->set->n - a->priced);
	reasons(j, s, a);
	figures(j, s, a, &a->regime[REGIME_ALL]);
	jw_object(j, "regimes");
	for (int r = 0; r < REGIME_ALL; r++) {
		if (!s->group[r].n)
			continue;
		jw_object(j, step_regime_name[r]);
		figures(j, s, a, &a->regime[r]);
		score_ranks_json(j, "rank", a->rank[r]);
		jw_end(j);
	}
	jw_end(j);
	bins(j, s, a);
	own_coverage_json(j, "own_coverage", &a->own);
	score_ranks_json(j, "rank", a->rank[REGIME_ALL]);
	jw_number(j, "skill", a->skill);
	jw_end(j);
}

static void equality(struct jw *j, const struct equal_steps *e)
{
	jw_flat_object(j, "equality");
	jw_text(j, "verdict", equality_name[equal_steps_verdict(e)]);
	jw_number(j, "largest", e->largest);
	jw_uint(j, "steps", e->steps);
	jw_uint(j, "differing", e->differing);
	jw_end(j);
}

/* Writes the comparison of two arms on the same steps. */
static void pair(struct jw *j, const struct score *s, const struct step_pair *x)
{
	jw_object(j, NULL);
	jw_text(j, "regime", step_regime_name[x->regime]);
	jw_text(j, "a", s->arm[x->a].name);
	jw_text(j, "b", s->arm[x->b].name);
	jw_uint(j, "steps", x->rows);
	jw_number(j, "difference", x->difference);
	jw_number(j, "low", x->low);
	jw_number(j, "high", x->high);
	jw_number(j, "p", x->p);
	jw_number(j, "p_adjusted", x->p_adjusted);
	jw_text(j, "unit", x->by_deployment ? "deployment" : "step");
	jw_uint(j, "units", x->units);
	jw_text(j, "verdict", pair_verdict_name[x->verdict]);
	if (isnan(s->margin) || isnan(x->low_90))
		jw_null(j, "within_margin");
	else
		jw_bool(j, "within_margin", step_pair_is_within(x, s->margin));
	equality(j, &x->equal);
	jw_end(j);
}

static void steps_of(struct jw *j, const struct score *s)
{
	const struct step_set *set = s->set;
	jw_object(j, "steps");
	jw_array(j, "files");
	for (size_t i = 0; i < set->n_files; i++)
		jw_text(j, NULL, set->file[i].path);
	jw_end(j);
	jw_uint(j, "rows", set->n_given);
	jw_uint(j, "used", set->n);
	jw_object(j, "left_out");
	for (size_t i = 0; i < set->n_left_out; i++)
		jw_uint(j, set->left_out[i].why, set->left_out[i].n);
	jw_end(j);
	jw_array(j, "deployments");
	for (size_t d = 0; d < set->n_deployments; d++)
		jw_text(j, NULL, set->deployment[d].name);
	jw_end(j);
	jw_number(j, "repeat", s->repeat);
	jw_end(j);
}

void score_json(const struct score *s, FILE *f)
{
	char *verdict = score_verdict(s);
	struct jw j = jw_document(f);
	jw_text(&j, "schema", "stepcost score 1");
	jw_text(&j, "stepcost", PACKAGE_VERSION);
	jw_text(&j, "command", "score");
	jw_text(&j, "verdict", verdict);
	steps_of(&j, s);
	jw_array(&j, "arms");
	for (size_t k = 0; k < s->n; k++)
		arm(&j, s, &s->arm[k]);
	jw_end(&j);
	jw_array(&j, "pairs");
	for (size_t i = 0; i < s->n_pairs; i++)
		pair(&j, s, &s->pair[i]);
	jw_finish(&j);
	free(verdict);
}

/* ---- CSV ---- */

void score_csv(const struct score *s, FILE *f)
{
	fputs("arm,plugin,baseline,regime,n", f);
	for (int k = 0; k < N_STEP_FIGURES; k++)
		fprintf(f, ",%s", step_figure_name[k]);
	fputs(",rank_low,rank_high\n", f);
	for (size_t i = 0; i < s->n * N_REGIMES; i++) {
		const struct score_arm *a = &s->arm[i / N_REGIMES];
		size_t r = i % N_REGIMES;
		if (!s->group[r].n)
			continue;
		csv_text(f, a->name);
		csv_next_text(f, a->plugin);
		fprintf(f, ",%d,%s,%zu", a->is_baseline, step_regime_name[r],
			a->regime[r].n);
		for (int k = 0; k < N_STEP_FIGURES; k++)
			csv_next_number(f, a->regime[r].of[k]);
		if (a->rank[r][0])
			fprintf(f, ",%zu,%zu\n", a->rank[r][0], a->rank[r][1]);
		else
			fputs(",,\n", f);
	}
}

void score_rows(const struct score *s, FILE *f)
{
	fputs("file,row,step,deployment,regime,arm,predicted_us,measured_us,"
	      "error\n",
	      f);
	for (size_t i = 0; i < s->set->n * s->n; i++) {
		const struct step_row *r = &s->set->row[i / s->n];
		const struct score_arm *a = &s->arm[i % s->n];
		double us = a->us[i / s->n], real = s->measured[i / s->n];
		csv_text(f, r->file->path);
		fprintf(f, ",%" PRIu64 ",", r->given->line);
		csv_text(f, r->given->name);
		csv_next_text(f, s->set->deployment[r->deployment].name);
		fprintf(f, ",%s,",
			step_regime_name[step_regime_of(&r->given->step)]);
		csv_text(f, a->name);
		csv_next_number(f, us);
		csv_next_number(f, real);
		csv_next_number(f, us / real - 1);
		fputc('\n', f);
	}
}

/* ---- errors ---- */

static double context_of(const sc_step *step)
{
	double sum = 0;
	for (uint32_t i = 0; i < step->n_prefill; i++)
		sum += (double)step->prefill_ctx[i] + step->prefill_new[i];
	for (uint32_t i = 0; i < step->n_decode; i++)
		sum += step->decode_ctx[i];
	return sum / fmax(1, (double)step->n_prefill + step->n_decode);
}

static void error_row(const struct score *s, const struct step_arms *arms,
		      size_t arm, size_t row, FILE *f)
{
	const struct step_row *r = &s->set->row[row];
	const struct config *c = &arms->config[r->deployment];
	const struct engine_keys *k = &c->engine_keys;
	const char *engine = steps_cell(&r->file->steps, r->given, STEP_ENGINE);
	char name[300];
	const struct known_plugins *known = c->known;
	const struct plugin_description *about =
	    known_plugin(known, c->arm[arm].plugin_path);
	const struct scored_of of = {
	    .plugin = c->arm[arm].plugin,
	    .version = about ? about->is.version : "",
	    .preset = c->arm[arm].preset ? c->arm[arm].preset : "",
	    .tables = c->arm[arm].set ? c->arm[arm].set : "",
	    .changed = ""};
	struct scored_row out = {.source_row = name,
				 .metric = (char *)"step",
				 .fold = s->set->deployment[r->deployment].name,
				 .left_out = "",
				 .measured = s->measured[row],
				 .predicted = s->arm[arm].us[row]};
	snprintf(name, sizeof name, "%.200s:%" PRIu64, r->file->path,
		 r->given->line);
	place_set(&out.at, c->arm[arm].hardware, &c->model.view,
		  (double)k->tensor_parallel_size,
		  (double)k->expert_parallel_size,
		  (double)k->pipeline_parallel_size);
	place_set_engine(&out.at, engine);
	out.at.load =
	    (double)r->given->step.n_decode + r->given->step.n_prefill;
	out.at.input_tokens = context_of(&r->given->step);
	scored_write_row(f, &of, &out);
}

void score_errors(const struct score *s, const struct step_arms *arms, FILE *f)
{
	scored_write_head(f);
	for (size_t k = 0; k < s->n - (size_t)s->has_own_baseline; k++)
		for (size_t i = 0; i < s->set->n; i++)
			if (!isnan(s->arm[k].us[i] / s->measured[i]))
				error_row(s, arms, k, i, f);
}
