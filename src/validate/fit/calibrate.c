/* calibrate.c -- Refits knobs so that simulated runs meet measured ones, and
 * says whether that helps on runs it has not seen. */
#include "validate/fit/calibrate.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/names.h"
#include "base/nearest.h"
#include "keys/keys.h"
#include "validate/fit/identify.h"

/* ---- the knobs ---- */

static double block_value(const sc_knob *k, const void *block)
{
	double v;
	memcpy(&v, (const char *)block + k->offset, sizeof v);
	return v;
}

int calibrate_no_knob(const sc_plugin *plugin, const char *name,
		      struct problem *p)
{
	struct names known = {0};
	char hint[100], list[600];
	for (uint32_t k = 0; k < plugin->n_knobs; k++)
		if (plugin->knob[k]->type == SC_KNOB_DOUBLE &&
		    names_add(&known, plugin->knob[k]->name) < 0)
			break;
	problem_set(p, EXIT_USAGE,
		    "--knobs: %s is no knob of %s that can be fitted%s; there "
		    "are: %s",
		    name, plugin->name, nearest_of(name, &known, hint),
		    known.n ? names_join(&known, list, sizeof list) : "none");
	names_free(&known);
	return -1;
}

/* Takes the start and the bounds that were asked for. */
static int set_range(struct calibrated_knob *k, const struct calibrate_range *r,
		     struct problem *p)
{
	if (!r)
		return 0;
	k->low = isnan(r->low) ? k->low : r->low;
	k->high = isnan(r->high) ? k->high : r->high;
	k->before = isnan(r->start) ? k->before : r->start;
	if (k->low < k->knob->min || k->high > k->knob->max)
		return problem_set(p, EXIT_USAGE,
				   "--knobs: the bounds of %s are beyond [%g, "
				   "%g]",
				   k->knob->name, k->knob->min, k->knob->max);
	if (k->before < k->low || k->before > k->high)
		return problem_set(p, EXIT_USAGE,
				   "--knobs: %s starts at %g, outside of its "
				   "bounds [%g, %g]",
				   k->knob->name, k->before, k->low, k->high);
	return 0;
}

static int find_knobs(struct calibration *c, const sc_plugin *plugin,
		      const void *start, const char *const *name, size_t n,
		      const struct calibrate_range *range, struct problem *p)
{
	c->knob = calloc(n + 1, sizeof *c->knob);
	if (!c->knob)
		return problem_no_memory(p);
	for (size_t i = 0; i < n; i++) {
		const sc_knob *found =
		    knob_named(plugin->knob, plugin->n_knobs, name[i]);
		if (!found)
			return calibrate_no_knob(plugin, name[i], p);
		if (found->type != SC_KNOB_DOUBLE)
			return problem_set(p, EXIT_USAGE,
					   "--knobs: %s is not a real number",
					   name[i]);
		double v = block_value(found, start);
		struct calibrated_knob *k = &c->knob[c->n++];
		*k = (struct calibrated_knob){found, v,          v,
					      v,     found->min, found->max};
		if (set_range(k, range ? &range[i] : NULL, p) < 0)
			return -1;
		if (k->before < 0)
			return problem_set(p, EXIT_USAGE,
					   "--knobs: %s starts below 0",
					   name[i]);
	}
	return 0;
}

/* ---- how good ---- */

/* Sums of absolute errors. */
struct error_sums {
	double sum[N_RUN_LATENCIES];
	size_t n[N_RUN_LATENCIES];
};

/* Adds the errors at x, of all runs that are used (SIZE_MAX) or of one. */
static int add_errors(struct refit *f, const double *x, size_t run,
		      struct error_sums *t, struct problem *p)
{
	if (refit_learn(f, 1, x, p) < 0)
		return -1;
	const struct prediction *is = refit_recall(f, x);
	for (size_t row = 0; row < f->v->file->n; row++) {
		if (f->run_of[row] == SIZE_MAX ||
		    (run != SIZE_MAX && f->run_of[row] != run))
			continue;
		for (int k = 0; k < N_RUN_LATENCIES; k++) {
			double e = is[row].time[k].of[STATISTIC_MEAN] /
				       f->v->file->row[row]
					   .time[k]
					   .of[STATISTIC_MEAN] -
				   1;
			if (!isfinite(e))
				continue;
			t->sum[k] += fabs(e);
			t->n[k]++;
		}
	}
	return 0;
}

static struct calibration_error error_of(const struct error_sums *t)
{
	struct calibration_error e;
	for (int k = 0; k < N_RUN_LATENCIES; k++)
		e.metric[k] = t->n[k] ? t->sum[k] / (double)t->n[k] : 0;
	e.score =
	    (e.metric[RUN_TPOT] + REFIT_TTFT_WEIGHT * e.metric[RUN_TTFT]) /
	    (1 + REFIT_TTFT_WEIGHT);
	return e;
}

/* ---- too few? ---- */

static const char *model_of(const struct refit *f, size_t row)
{
	const char *model = f->v->file->row[row].model;
	return model ? model : "";
}

static int model_seen(const struct refit *f, size_t row)
{
	for (size_t i = 0; i < row; i++)
		if (f->run_of[i] != SIZE_MAX &&
		    !strcmp(model_of(f, i), model_of(f, row)))
			return 1;
	return 0;
}

/* Counts the runs that are used: their different models, and their rows. */
static void count_used(const struct refit *f, size_t *models, size_t *rows)
{
	*models = *rows = 0;
	for (size_t i = 0; i < f->v->file->n; i++) {
		if (f->run_of[i] == SIZE_MAX)
			continue;
		++*rows;
		*models += !model_seen(f, i);
	}
}

/* Refuses to fit several knobs to too few runs or rows. */
static int enough(const struct calibration *c, struct problem *p)
{
	if (c->n > 1 && c->n_runs < 3)
		return problem_set(
		    p, EXIT_USAGE,
		    "too few data: %zu run%s; to fit more than one knob, give "
		    "at least 3, of several models or at several rates",
		    c->n_runs, c->n_runs == 1 ? "" : "s");
	if (c->n > 1 && c->n_rows < 2 * c->n)
		return problem_set(p, EXIT_USAGE,
				   "too few data: %zu rows for %zu knobs; give "
				   "at least two rows for each knob",
				   c->n_rows, c->n);
	return 0;
}

static int changes(const struct prediction *a, const struct prediction *b,
		   enum run_latency metric)
{
	double change = b->time[metric].of[STATISTIC_MEAN] /
			    a->time[metric].of[STATISTIC_MEAN] -
			1;
	return isfinite(change) && fabs(change) > 1e-4;
}

/* Returns 1 if a row of the model of `first` has a TPOT or TTFT that differs
 * between the predictions a and b. */
static int model_differs(const struct refit *f, size_t first,
			 const struct prediction *a, const struct prediction *b)
{
	for (size_t i = first; i < f->v->file->n; i++)
		if (f->run_of[i] != SIZE_MAX &&
		    !strcmp(model_of(f, i), model_of(f, first)) &&
		    (changes(&a[i], &b[i], RUN_TPOT) ||
		     changes(&a[i], &b[i], RUN_TTFT)))
			return 1;
	return 0;
}

/* The number of models that differ between the points a and b. */
static size_t models_that_differ(const struct refit *f, const double *a,
				 const double *b)
{
	const struct prediction *at_a = refit_recall(f, a);
	const struct prediction *at_b = refit_recall(f, b);
	size_t models = 0;
	for (size_t i = 0; i < f->v->file->n; i++)
		if (f->run_of[i] != SIZE_MAX && !model_seen(f, i) &&
		    model_differs(f, i, at_a, at_b))
			models++;
	return models;
}

/* *models: the number with runs that depend on the knob, between x and x plus
 * a step of it. */
static int count_models(struct refit *f, size_t knob, const double *x,
			size_t *models, struct problem *p)
{
	double *moved = calloc(f->n + 1, sizeof *moved);
	if (!moved)
		return problem_no_memory(p);
	refit_step(f, x, knob, moved);
	int rc = refit_learn(f, 1, x, p) < 0 || refit_learn(f, 1, moved, p) < 0
		     ? -1
		     : 0;
	if (rc == 0)
		*models = models_that_differ(f, x, moved);
	free(moved);
	return rc;
}

/* A knob without effect stays where it is.  Of several models, one alone must
 * not decide on a knob. */
static int knobs_matter(struct refit *f, const double *x, size_t all_models,
			struct problem *p)
{
	struct names without = {0};
	char text[400];
	int rc = 0, few = -1;
	for (size_t i = 0; rc == 0 && i < f->n; i++) {
		size_t models = 0;
		rc = count_models(f, i, x, &models, p);
		if (rc == 0 && !models && names_add(&without, f->name[i]) < 0)
			rc = problem_no_memory(p);
		if (models == 1 && all_models > 1 && few < 0)
			few = (int)i;
	}
	if (rc == 0 && without.n)
		rc = problem_set(p, EXIT_SAYS_NO,
				 "no effect on TPOT or TTFT of any run: %s",
				 names_join(&without, text, sizeof text));
	else if (rc == 0 && f->n > 1 && few >= 0)
		rc = problem_set(
		    p, EXIT_USAGE,
		    "too few data: %s has an effect on runs of one model only; "
		    "give runs of two models that it has an effect on",
		    f->name[few]);
	names_free(&without);
	return rc;
}

/* ---- all of it ---- */

/* Which run each row belongs to: those that are simulated and unsaturated.
 * by_stage: each row is a run of its own. */
static size_t number_runs(const struct validation *v, int by_stage,
			  size_t *run_of)
{
	size_t n = 0;
	for (size_t i = 0; i < v->file->n; i++)
		run_of[i] = SIZE_MAX;
	for (size_t t = 0; t < v->row_replays.n; t++) {
		const struct row_replay *x = &v->row_replays.row_replay[t];
		size_t used = 0;
		for (size_t i = 0; !v->refused[t] && i < x->n_rows; i++)
			if (!validation_saturated(&v->file->row[x->row[i]])) {
				run_of[x->row[i]] = n;
				n += by_stage != 0;
				used++;
			}
		n += !by_stage && used;
	}
	return n;
}

static int leave_one_out(struct refit *f, struct calibration *c,
			 const double *best, struct problem *p)
{
	struct error_sums t = {{0}, {0}};
	double *x = calloc(c->n + 1, sizeof *x);
	int rc = x ? 0 : problem_no_memory(p);
	for (size_t run = 0; rc == 0 && run < c->n_runs; run++) {
		memcpy(x, best, c->n * sizeof *x);
		snprintf(f->what, sizeof f->what, "without run %zu of %zu",
			 run + 1, c->n_runs);
		f->left_out = run;
		rc = refit_solve(f, x, 6, p);
		if (rc == 0)
			rc = add_errors(f, x, run, &t, p);
	}
	free(x);
	c->left_out = error_of(&t);
	return rc;
}

/* Whether there are data enough for the knobs at x, and their errors there. */
static int look_before(struct refit *f, struct calibration *c, const double *x,
		       struct problem *p)
{
	struct error_sums before = {{0}, {0}};
	size_t models;
	double *as_is = calloc(f->n + 1, sizeof *as_is);
	int rc = as_is ? 0 : problem_no_memory(p);
	count_used(f, &models, &c->n_rows);
	if (rc == 0)
		rc = enough(c, p);
	if (rc == 0) {
		refit_configured(f, as_is);
		rc = add_errors(f, as_is, SIZE_MAX, &before, p);
	}
	c->before = error_of(&before);
	if (rc == 0)
		rc = knobs_matter(f, x, models, p);
	free(as_is);
	return rc;
}

/* Sets aside the knobs that are not told apart from earlier ones; name[] keeps
 * the others, in their order. */
static int set_alike_aside(struct refit *f, struct calibration *c,
			   const double *x, const char **name,
			   struct problem *p)
{
	struct identified found = {0};
	size_t kept = 0;
	int rc = f->n > 1 ? identify(&found, f, x, p) : 0;
	c->alike = rc == 0 ? calloc(f->n + 1, sizeof *c->alike) : NULL;
	if (rc == 0 && !c->alike)
		rc = problem_no_memory(p);
	for (size_t i = 0; rc == 0 && f->n > 1 && i < f->n; i++)
		if (!found.apart[i])
			c->alike[c->n_alike++] = (struct calibrated_alike){
			    name[i], name[found.from[i]], c->knob[i].before};
	for (size_t i = 0; rc == 0 && i < f->n; i++)
		if (f->n == 1 || found.apart[i]) {
			name[kept] = name[i];
			c->knob[kept++] = c->knob[i];
		}
	if (rc == 0)
		c->n = kept;
	identified_free(&found);
	return rc;
}

/* x[n]: room for the parameters. */
static int run(struct refit *f, struct calibration *c, double *x,
	       struct problem *p)
{
	struct error_sums after = {{0}, {0}};
	refit_start(f, x);
	snprintf(f->what, sizeof f->what, "all runs");
	if (refit_solve(f, x, 30, p) < 0 ||
	    add_errors(f, x, SIZE_MAX, &after, p) < 0)
		return -1;
	for (size_t i = 0; i < c->n; i++)
		c->knob[i].after = refit_value(&c->knob[i], x[i]);
	c->after = error_of(&after);
	if (c->n_runs < 2) {
		c->left_out = c->before;
		return 0;
	}
	if (leave_one_out(f, c, x, p) < 0)
		return -1;
	c->accepted = c->left_out.score < c->before.score;
	return 0;
}

/* Looks at the knobs before anything is fitted; f has all of them, and then
 * those that are fitted. */
static int prepare(struct refit *f, struct calibration *c, double *x,
		   const char **name, struct problem *p)
{
	refit_start(f, x);
	if (look_before(f, c, x, p) < 0 ||
	    set_alike_aside(f, c, x, name, p) < 0)
		return -1;
	if (c->n_alike) {
		refit_free(f); /* its points have all knobs */
		f->n = c->n;
	}
	return 0;
}

int calibrate(struct calibration *c, struct validation *v, size_t arm,
	      const sc_plugin *plugin, const void *start,
	      const char *const *knob, size_t n,
	      const struct calibrate_options *o, struct problem *p)
{
	size_t *run_of = calloc(v->file->n + 1, sizeof *run_of);
	double *x = calloc(n + 1, sizeof *x);
	const char **name = calloc(n + 1, sizeof *name);
	*c = (struct calibration){0};
	for (size_t i = 0; name && i < n; i++)
		name[i] = knob[i];
	int rc = run_of && x && name
		     ? find_knobs(c, plugin, start, knob, n, o->range, p)
		     : problem_no_memory(p);
	if (rc == 0) {
		c->n_runs = number_runs(v, o->by_stage, run_of);
		struct refit f = {.v = v,
				  .validate = o->validate,
				  .arm = arm,
				  .knob = c->knob,
				  .name = name,
				  .n = c->n,
				  .run_of = run_of,
				  .left_out = SIZE_MAX,
				  .progress = o->progress,
				  .user = o->user};
		rc = prepare(&f, c, x, name, p);
		if (rc == 0)
			rc = run(&f, c, x, p);
		refit_free(&f);
	}
	free(run_of);
	free(x);
	free(name);
	return rc;
}

void calibration_free(struct calibration *c)
{
	free(c->knob);
	free(c->alike);
	*c = (struct calibration){0};
}
