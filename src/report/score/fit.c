/* fit.c -- Writes a fit to measured steps. */
#include "report/score/fit.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "base/csv.h"
#include "report/score/score.h"

/* ---- text: an INI ---- */

static const struct config *any_config(const struct fit *f)
{
	size_t d = 0;
	while (f->arms->refused[d])
		d++;
	return &f->arms->config[d];
}

static void error_line(FILE *to, const char *what, const struct step_figures *e)
{
	if (e->n)
		fprintf(to, ";   %-34s %7zu %7.2f %7.2f %+7.2f\n", what, e->n,
			100 * e->of[FIGURE_MACRO_MEAN], 100 * e->of[FIGURE_P95],
			100 * e->of[FIGURE_BIAS]);
	else
		fprintf(to, ";   %-34s %7d\n", what, 0);
}

static void errors(const struct fit *f, FILE *to)
{
	fputs("; errors of predicted times, percent\n"
	      ";                                        steps    mean     p95"
	      "    bias\n",
	      to);
	error_line(to, "as configured", &f->at_before);
	error_line(to, "fitted, on the same steps", &f->at_after);
	error_line(to, "fitted, on steps not seen", &f->at_unseen);
	error_line(to, "linear (five folds)", &f->at_linear);
}

static void knob_line(const struct fit *f, size_t k, const char *mark, FILE *to)
{
	const struct fit_found *is = &f->found;
	fprintf(to, "%s%s = ", mark, f->knob[k].name);
	csv_number(to, is->x[k]);
	fputs(" ; from ", to);
	csv_number(to, f->knob[k].start);
	if (f->knob[k].start_was_outside)
		fputs(", since the arm's value is outside of the bounds", to);
	if (isfinite(is->error[k]))
		fprintf(to, ", standard error %.3g", is->error[k]);
	if (is->at_bound[k])
		fputs(", at its bound", to);
	fputc('\n', to);
}

static void remark_sets(const struct fit *f, FILE *to)
{
	const struct fit_apart *apart = &f->found.apart;
	for (size_t i = 0; i < apart->n_sets; i++) {
		const char *before = "; not told apart: ";
		for (size_t k = 0; k < f->n; k++)
			if (apart->set[i] >> k & 1) {
				fprintf(to, "%s%s", before, f->knob[k].name);
				before = ", ";
			}
		fputs(".  These steps change with them in the same way; steps "
		      "of another\n; regime, batch, context or GPU may tell "
		      "them apart.\n",
		      to);
	}
	for (size_t k = 0; k < f->n; k++) {
		const char *name = f->knob[k].name;
		if (f->found.idle[k])
			fprintf(to,
				"; %s has no effect on these steps; it is "
				"held at its start.\n",
				name);
		else if (f->found.held[k])
			fprintf(to, "; %s is held at its start.\n", name);
		else if (f->found.no_effect[k])
			fprintf(to,
				"; %s has no effect at the optimum; it "
				"stays where the fit left it.\n",
				name);
	}
}

static void verdict(const struct fit *f, FILE *to)
{
	double before = 100 * f->at_before.of[FIGURE_MACRO_MEAN];
	double unseen = 100 * f->at_unseen.of[FIGURE_MACRO_MEAN];
	if (f->better)
		fprintf(to,
			"; The fit is nearer on steps that it has not seen: "
			"%.2f %%",
			unseen);
	else
		fprintf(to,
			"; The fit is not nearer on steps that it has not "
			"seen: %.2f %%",
			unseen);
	if (isnan(before))
		fputs(".\n", to);
	else
		fprintf(to, ", %.2f %% as configured.\n", before);
}

static void folds(const struct fit *f, FILE *to)
{
	fputs("; left out, its mean error, and the knobs without it\n", to);
	for (size_t i = 0; i < f->n_folds; i++) {
		const struct fit_fold *x = &f->fold[i];
		fprintf(to, ";   %s: %.2f", x->left_out,
			100 * x->figures.of[FIGURE_MACRO_MEAN]);
		for (size_t k = 0; k < f->n; k++)
			fprintf(to, " %s=%.5g", f->knob[k].name, x->found.x[k]);
		fputc('\n', to);
	}
}

void fit_text(const struct fit *f, const struct fit_uncertainty *u, FILE *to)
{
	const struct config *c = any_config(f);
	const struct arm_config *arm = &c->arm[0];
	const char *mark = f->better ? "" : "; ";
	verdict(f, to);
	errors(f, to);
	remark_sets(f, to);
	fprintf(to,
		"; %zu deployment%s, %u rounds, %u evaluations; the start "
		"is that of each knob\n",
		f->set->n_deployments, f->set->n_deployments == 1 ? "" : "s",
		f->found.solved.rounds, f->found.solved.evaluations);
	folds(f, to);
	fprintf(to, "%s[%s]\n%splugin = %s\n", mark, arm->section, mark,
		ini_get(&c->cfg, arm->section, "plugin"));
	if (arm->preset && *arm->preset)
		fprintf(to, "%spreset = %s\n", mark, arm->preset);
	for (size_t k = 0; k < f->n; k++)
		knob_line(f, k, mark, to);
	if (!isnan(u->sigma))
		fprintf(to, "%ssigma = %.4g\n%snoise = %.4g\n", mark, u->sigma,
			mark, u->noise);
}

/* ---- JSON ---- */

static void figures(struct jw *j, const char *key, const struct fit *f,
		    const double *us, const struct step_figures *e)
{
	jw_object(j, key);
	step_figures_json(j, f->set, f->measured, us, e);
	jw_end(j);
}

static void knobs(struct jw *j, const struct fit *f)
{
	jw_array(j, "knobs");
	for (size_t k = 0; k < f->n; k++) {
		jw_flat_object(j, NULL);
		jw_text(j, "name", f->knob[k].name);
		jw_number(j, "start", f->knob[k].start);
		jw_number(j, "fitted", f->found.x[k]);
		jw_number(j, "low", f->knob[k].low);
		jw_number(j, "high", f->knob[k].high);
		jw_bool(j, "at_bound", f->found.at_bound[k]);
		jw_number(j, "standard_error", f->found.error[k]);
		jw_bool(j, "idle", f->found.idle[k]);
		jw_bool(j, "held", f->found.held[k]);
		jw_end(j);
	}
	jw_end(j);
	jw_array(j, "undecided");
	for (size_t i = 0; i < f->found.apart.n_sets; i++) {
		jw_flat_array(j, NULL);
		for (size_t k = 0; k < f->n; k++)
			if (f->found.apart.set[i] >> k & 1)
				jw_text(j, NULL, f->knob[k].name);
		jw_end(j);
	}
	jw_end(j);
}

static void json_folds(struct jw *j, const struct fit *f)
{
	jw_array(j, "folds");
	for (size_t i = 0; i < f->n_folds; i++) {
		const struct fit_fold *x = &f->fold[i];
		jw_object(j, NULL);
		jw_text(j, "left_out", x->left_out);
		jw_flat_object(j, "knobs");
		for (size_t k = 0; k < f->n; k++)
			jw_number(j, f->knob[k].name, x->found.x[k]);
		jw_end(j);
		step_figures_json(j, f->set, f->measured, f->unseen,
				  &x->figures);
		jw_end(j);
	}
	jw_end(j);
}

static void predicted_by_linear(struct jw *j, const struct step_figures *e)
{
	jw_object(j, "linear");
	jw_uint(j, "n", e->n);
	for (int k = 0; k < N_STEP_FIGURES; k++)
		jw_number(j, step_figure_name[k], e->of[k]);
	jw_end(j);
}

void fit_json(const struct fit *f, const struct fit_uncertainty *u, FILE *to)
{
	struct jw j = jw_document(to);
	jw_text(&j, "schema", "stepcost fit 1");
	jw_text(&j, "stepcost", PACKAGE_VERSION);
	jw_text(&j, "command", "fit");
	jw_text(&j, "arm", f->arms->arm[0]);
	jw_text(&j, "plugin", f->arms->plugin[0]);
	knobs(&j, f);
	figures(&j, "before", f, f->before, &f->at_before);
	figures(&j, "after", f, f->after, &f->at_after);
	figures(&j, "out_of_fold", f, f->unseen, &f->at_unseen);
	json_folds(&j, f);
	jw_number(&j, "cost", f->found.solved.cost);
	jw_uint(&j, "rounds", f->found.solved.rounds);
	jw_uint(&j, "evaluations", f->found.solved.evaluations);
	jw_bool(&j, "better", f->better);
	predicted_by_linear(&j, &f->at_linear);
	if (!isnan(u->sigma)) {
		jw_number(&j, "sigma", u->sigma);
		jw_number(&j, "noise", u->noise);
	}
	jw_finish(&j);
}

/* ---- rows ---- */

void fit_rows(const struct fit *f, FILE *to)
{
	fputs("file,row,step,deployment,left_out,before_us,fitted_us,"
	      "predicted_us,measured_us,error\n",
	      to);
	for (size_t i = 0; i < f->set->n; i++) {
		const struct step_row *r = &f->set->row[i];
		const double v[] = {f->before[i], f->after[i], f->unseen[i],
				    f->measured[i],
				    f->unseen[i] / f->measured[i] - 1};
		csv_text(to, r->file->path);
		fprintf(to, ",%" PRIu64 ",", r->given->line);
		csv_text(to, r->given->name);
		fputc(',', to);
		csv_text(to, f->set->deployment[r->deployment].name);
		fprintf(to, ",%zu", f->fold_of[i]);
		for (size_t k = 0; k < sizeof v / sizeof *v; k++) {
			fputc(',', to);
			csv_number(to, v[k]);
		}
		fputc('\n', to);
	}
}
