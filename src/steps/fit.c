/* fit.c -- Fits knobs to measured steps, and scores the fit on steps that it
 * has not seen. */
#include "steps/fit.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "plugin/schema.h"
#include "steps/baseline.h"
#include "steps/fit_job.h"
#include "steps/fit_knobs.h"

const char *const fit_residual_choice[] = {"relative", "log", NULL};
const char *const fit_weight_choice[] = {"deployment", "step", "spread", NULL};

enum { FEW_DEPLOYMENTS = 10 };

/* ---- folds ---- */

static size_t count_folds(const struct fit *f)
{
	size_t n = f->set->n_deployments, wanted = f->options.folds;
	if (n == 1)
		return BASELINE_FOLDS;
	if (!wanted)
		wanted = n > FEW_DEPLOYMENTS ? FEW_DEPLOYMENTS : n;
	return wanted < n ? wanted : n;
}

/* Names a fold by the deployments that it leaves out. */
static char *name_fold(const struct fit *f, size_t fold)
{
	struct text t;
	FILE *m = text_begin(&t);
	const char *before = "";
	if (!m)
		return NULL;
	if (f->set->n_deployments == 1)
		fprintf(m, "fold %zu", fold + 1);
	for (size_t d = fold;
	     f->set->n_deployments > 1 && d < f->set->n_deployments;
	     d += f->n_folds) {
		fprintf(m, "%s%s", before, f->set->deployment[d].name);
		before = ", ";
	}
	return text_end(&t);
}

static int make_folds(struct fit *f)
{
	f->n_folds = count_folds(f);
	f->fold = arrays_add(&f->arrays, f->n_folds, sizeof *f->fold);
	f->fold_of = arrays_add(&f->arrays, f->set->n, sizeof *f->fold_of);
	if (!f->fold || !f->fold_of)
		return -1;
	for (size_t i = 0; i < f->set->n; i++) {
		const struct step_row *r = &f->set->row[i];
		f->fold_of[i] = f->set->n_deployments == 1
				    ? baseline_fold(r)
				    : r->deployment % f->n_folds;
	}
	for (size_t k = 0; k < f->n_folds; k++) {
		f->fold[k].left_out = name_fold(f, k);
		if (!f->fold[k].left_out)
			return -1;
	}
	return 0;
}

/* ---- jobs ---- */

static int run_jobs(struct jobs *jobs, struct job *job, size_t n,
		    const struct fit *f, const struct jobs_options *o,
		    struct problem *p)
{
	struct jobs_options how = *o;
	how.shared_bytes =
	    sizeof(struct fit_answer) + 2 * f->set->n * sizeof(double);
	if (jobs_run(jobs, job, n, fit_job, &how, p) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (job[i].complaint)
			return problem_set(p, job[i].problem->code, "%s",
					   job[i].problem->text);
	return jobs->interrupted ? problem_set(p, EXIT_USAGE, "interrupted")
				 : 0;
}

static int run_whole(struct fit *f, const struct jobs_options *o,
		     struct problem *p)
{
	struct fit_task task = {f, SIZE_MAX};
	struct job job = {.name = f->arms->arm[0],
			  .plugin = f->arms->plugin[0],
			  .user = &task};
	struct jobs jobs = {0};
	size_t bytes = f->set->n * sizeof(double);
	int rc = run_jobs(&jobs, &job, 1, f, o, p);
	if (rc == 0) {
		const struct fit_answer *is = job.shared;
		f->found = is->found;
		memcpy(f->after, is->us, bytes);
		memcpy(f->before, is->us + f->set->n, bytes);
	}
	jobs_free(&jobs);
	return rc;
}

static int run_folds(struct fit *f, const struct jobs_options *o,
		     struct problem *p)
{
	struct fit_task *task = calloc(f->n_folds + 1, sizeof *task);
	struct job *job = calloc(f->n_folds + 1, sizeof *job);
	struct jobs jobs = {0};
	for (size_t k = 0; task && job && k < f->n_folds; k++) {
		task[k] = (struct fit_task){f, k};
		job[k] = (struct job){.name = f->arms->arm[0],
				      .plugin = f->arms->plugin[0],
				      .user = &task[k]};
	}
	int rc = task && job ? run_jobs(&jobs, job, f->n_folds, f, o, p)
			     : problem_no_memory(p);
	for (size_t k = 0; rc == 0 && k < f->n_folds; k++) {
		const struct fit_answer *is = job[k].shared;
		f->fold[k].found = is->found;
		for (size_t i = 0; i < f->set->n; i++)
			if (f->fold_of[i] == k)
				f->unseen[i] = is->us[i];
	}
	jobs_free(&jobs);
	free(task);
	free(job);
	return rc;
}

/* ---- figures ---- */

static int figures_of_fold(struct fit *f, size_t fold, size_t *row)
{
	size_t n = 0;
	for (size_t i = 0; i < f->set->n; i++)
		if (f->fold_of[i] == fold)
			row[n++] = i;
	return step_figures(&f->fold[fold].figures, f->set, f->measured,
			    f->unseen, (struct step_group){row, n});
}

static int fill_figures(struct fit *f)
{
	size_t n = f->set->n;
	size_t *row = calloc(n + 1, sizeof *row);
	double *linear = calloc(n + 1, sizeof *linear);
	int rc =
	    row && linear ? baseline_predict(f->set, f->measured, linear) : -1;
	for (size_t k = 0; rc == 0 && k < f->n_folds; k++)
		rc = figures_of_fold(f, k, row);
	for (size_t i = 0; rc == 0 && i < n; i++)
		row[i] = i;
	const struct step_group all = {row, n};
	if (rc == 0)
		rc = step_figures(&f->at_before, f->set, f->measured, f->before,
				  all) |
		     step_figures(&f->at_after, f->set, f->measured, f->after,
				  all) |
		     step_figures(&f->at_unseen, f->set, f->measured, f->unseen,
				  all) |
		     step_figures(&f->at_linear, f->set, f->measured, linear,
				  all);
	double unseen = f->at_unseen.of[FIGURE_MACRO_MEAN];
	double before = f->at_before.of[FIGURE_MACRO_MEAN];
	f->better =
	    rc == 0 && unseen >= 0 && (isnan(before) || unseen < before);
	free(row);
	free(linear);
	return rc;
}

/* ---- the knobs ---- */

static int read_knobs(struct fit *f, struct problem *p)
{
	size_t d = 0;
	while (f->arms->refused[d])
		d++;
	const struct config *c = &f->arms->config[d];
	const struct plugin_description *about =
	    known_plugin(c->known, c->arm[0].plugin_path);
	if (!about)
		return problem_set(p, EXIT_PLUGIN, "%s cannot be loaded",
				   c->arm[0].plugin);
	void *block = knobs_new(&about->is, &c->cfg, c->arm[0].section, p);
	int rc = block
		     ? fit_knobs_read(f, f->options.knobs, &about->is, block, p)
		     : -1;
	free(block);
	return rc;
}

static int allocate(struct fit *f)
{
	size_t n = f->set->n;
	f->measured = arrays_add(&f->arrays, n, sizeof *f->measured);
	f->before = arrays_add(&f->arrays, n, sizeof *f->before);
	f->after = arrays_add(&f->arrays, n, sizeof *f->after);
	f->unseen = arrays_add(&f->arrays, n, sizeof *f->unseen);
	if (f->arrays.out_of_memory)
		return -1;
	for (size_t i = 0; i < n; i++) {
		f->measured[i] = steps_number(f->set->row[i].given, STEP_TIME);
		f->unseen[i] = (double)NAN;
	}
	return make_folds(f);
}

static int several(const struct step_arms *arms, struct problem *p)
{
	struct names all = {0};
	char list[300];
	for (size_t i = 0; i < arms->n_arms; i++)
		names_add(&all, arms->arm[i]);
	problem_set(p, EXIT_USAGE,
		    "fit: one arm at a time; choose it with --arms; there are: "
		    "%s",
		    names_join(&all, list, sizeof list));
	names_free(&all);
	return -1;
}

int fit_steps(struct fit *f, struct step_arms *arms,
	      const struct fit_options *o, const struct jobs_options *jobs,
	      struct problem *p)
{
	*f = (struct fit){.set = arms->set, .arms = arms, .options = *o};
	if (arms->n_arms != 1)
		return several(arms, p);
	if (allocate(f) < 0)
		return problem_no_memory(p);
	if (read_knobs(f, p) < 0 || run_whole(f, jobs, p) < 0 ||
	    run_folds(f, jobs, p) < 0)
		return -1;
	return fill_figures(f) < 0 ? problem_no_memory(p) : 0;
}

void fit_free(struct fit *f)
{
	for (size_t k = 0; k < f->n; k++)
		free(f->knob[k].name);
	for (size_t k = 0; f->fold && k < f->n_folds; k++)
		free(f->fold[k].left_out);
	arrays_free(&f->arrays);
	*f = (struct fit){0};
}

/* ---- uncertainty ---- */

int fit_sigma(const struct fit *f, double *sigma, double *noise,
	      struct problem *p)
{
	const struct step_set *set = f->set;
	double mean[2] = {0, 0}, squares = 0, within = 0, n = 0;
	for (int pass = 0; pass < 2; pass++)
		for (size_t d = 0; d < set->n_deployments; d++) {
			double sum = 0, square = 0, rows = 0;
			for (size_t i = 0; i < set->deployment[d].n; i++) {
				size_t row = set->deployment[d].row[i];
				double e =
				    log(f->after[row] / f->measured[row]);
				if (isnan(e))
					continue;
				sum += e;
				square += e * e;
				rows++;
			}
			if (rows < 2)
				continue;
			double own = sum / rows;
			if (pass == 0) {
				mean[0] += own;
				n++;
				within +=
				    (square - rows * own * own) / (rows - 1);
			} else {
				squares += (own - mean[1]) * (own - mean[1]);
			}
			mean[1] = mean[0] / n;
		}
	if (n < 3)
		return problem_set(p, EXIT_USAGE,
				   "--sigma: steps of at least three "
				   "deployments are needed");
	*sigma = sqrt(squares / (n - 1));
	*noise = sqrt(within / n);
	return 0;
}
