/* fit.c -- Writes a fit to measured steps. */
#include "report/score/fit.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "base/csv.h"
#include "report/score/score.h"

/* ---- text: an INI, and a document as its remarks ---- */

static void answer(const struct fit *f, struct document *d)
{
	double before = 100 * f->at_before.of[FIGURE_MACRO_MEAN];
	double unseen = 100 * f->at_unseen.of[FIGURE_MACRO_MEAN];
	char as_configured[60] = "";
	if (!isnan(before))
		snprintf(as_configured, sizeof as_configured,
			 ", %.2f %% as configured", before);
	document_answer(
	    d, "The fit is %snearer on steps that it has not seen: %.2f %%%s.",
	    f->better ? "" : "not ", unseen, as_configured);
}

/* Adds the table of errors before and after the fit. */
static void errors(const struct fit *f, struct document *d)
{
	const struct {
		const char *name;
		const struct step_figures *is;
	} row[] = {{"as configured", &f->at_before},
		   {"fitted, on the same steps", &f->at_after},
		   {"fitted, on steps not seen", &f->at_unseen},
		   {"linear (five folds)", &f->at_linear}};
	static const char *const head[] = {"steps", "mean %", "p95 %",
					   "bias %"};
	struct columns c = columns_begin(head, 4, "errors of predicted times");
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const struct step_figures *e = row[i].is;
		columns_row(&c, "%s", row[i].name);
		columns_cell(&c, 0, 0, "%zu", e->n);
		if (!e->n)
			continue;
		columns_cell(&c, 0, 1, "%.2f", 100 * e->of[FIGURE_MACRO_MEAN]);
		columns_cell(&c, 0, 2, "%.2f", 100 * e->of[FIGURE_P95]);
		columns_cell(&c, 0, 3, "%+.2f", 100 * e->of[FIGURE_BIAS]);
	}
	document_table(d, &c);
}

static void say_undecided(const struct fit *f, struct document *d)
{
	const struct fit_apart *apart = &f->found.apart;
	for (size_t i = 0; i < apart->n_sets; i++) {
		const char *before = "These knobs are not told apart: ";
		FILE *to = document_write(d);
		for (size_t k = 0; to && k < f->n; k++)
			if (apart->set[i] >> k & 1) {
				fprintf(to, "%s%s", before, f->knob[k].name);
				before = ", ";
			}
		if (to)
			fputs(". The steps change with them in the same way; "
			      "steps of another regime, batch, context or GPU "
			      "may tell them apart.",
			      to);
		document_written(d, DOCUMENT_SENTENCE);
	}
}

static void say_held(const struct fit *f, struct document *d)
{
	for (size_t k = 0; k < f->n; k++) {
		const char *how =
		    f->found.idle[k]   ? "has no effect on these steps; it is "
					 "held at its start"
		    : f->found.held[k] ? "is held at its start"
		    : f->found.no_effect[k]
			? "has no effect at the optimum; it stays where the "
			  "fit left it"
			: NULL;
		if (how)
			document_say(d, "%s %s.", f->knob[k].name, how);
	}
}

/* Adds the table of folds: error and knobs of the fit without each. */
static void folds(const struct fit *f, struct document *d)
{
	struct columns c = {.n_groups = 1, .per_group = 1 + f->n};
	columns_row(&c, "left out");
	columns_cell(&c, 0, 0, "mean %%");
	for (size_t k = 0; k < f->n; k++)
		columns_cell(&c, 0, 1 + k, "%s", f->knob[k].name);
	for (size_t i = 0; i < f->n_folds; i++) {
		const struct fit_fold *x = &f->fold[i];
		columns_row(&c, "%s", x->left_out);
		columns_cell(&c, 0, 0, "%.2f",
			     100 * x->figures.of[FIGURE_MACRO_MEAN]);
		for (size_t k = 0; k < f->n; k++)
			columns_cell(&c, 0, 1 + k, "%.5g", x->found.x[k]);
	}
	document_table(d, &c);
}

void fit_document(const struct fit *f, struct document *d)
{
	*d =
	    (struct document){.title = "A fit to measured steps", .in = IN_ALL};
	answer(f, d);
	errors(f, d);
	say_undecided(f, d);
	say_held(f, d);
	document_say(d,
		     "%zu deployment%s, %u rounds, %u evaluations; the start "
		     "is that of each knob. Below: what the fit without each "
		     "fold found, and its error there.",
		     f->set->n_deployments,
		     f->set->n_deployments == 1 ? "" : "s",
		     f->found.solved.rounds, f->found.solved.evaluations);
	folds(f, d);
}

void fit_arm_head(FILE *to, const struct config *c, const char *mark)
{
	const struct arm_config *arm = &c->arm[0];
	fprintf(to, "%s[%s]\n%splugin = %s\n", mark, arm->section, mark,
		ini_get(&c->cfg, arm->section, "plugin"));
	if (arm->preset && *arm->preset)
		fprintf(to, "%spreset = %s\n", mark, arm->preset);
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

static const struct config *any_config(const struct fit *f)
{
	size_t d = 0;
	while (f->arms->refused[d])
		d++;
	return &f->arms->config[d];
}

void fit_text(const struct fit *f, const struct fit_uncertainty *u, FILE *to)
{
	const char *mark = f->better ? "" : "; ";
	struct document d;
	fit_document(f, &d);
	document_remarks(&d, IN_TEXT, to);
	document_free(&d);
	fit_arm_head(to, any_config(f), mark);
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

/* Writes the fitted knobs, and the sets of knobs that the steps cannot tell
 * apart. */
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
		csv_next_text(to, f->set->deployment[r->deployment].name);
		fprintf(to, ",%zu", f->fold_of[i]);
		for (size_t k = 0; k < sizeof v / sizeof *v; k++)
			csv_next_number(to, v[k]);
		fputc('\n', to);
	}
}
