/* score_price.c -- Prices the rows of a score in jobs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cost/breakdown.h"
#include "record/uncertainty.h"
#include "steps/baseline.h"
#include "steps/own_tables.h"
#include "steps/score.h"

/* A job leaves the first reason why a row is not priced, and the rows. */
struct priced_row {
	double total_us, exact_us, host_us, energy_j; /* NaN: not priced */
	double sd_us; /* 0: the model does not say how sure it is */
};
struct priced {
	struct problem why; /* EXIT_DONE: there is none */
	struct priced_row row[];
};

/* ---- in the job ---- */

struct pricing {
	const struct step_set *set;
	struct strict strict;
};

static int price_rows(struct job *j, struct arm *a,
		      const struct step_deployment *d, void *ctx,
		      struct problem *p)
{
	const struct pricing *w = ctx;
	struct priced *out = j->shared;
	if (cost_ask_figures(&a->cost, p) < 0)
		return -1;
	for (size_t i = 0; i < d->n; i++) {
		const struct given_step *g = w->set->row[d->row[i]].given;
		sc_step step;
		const sc_result *r = step_price(a, g, &step, p);
		out->row[i].total_us = (double)NAN;
		if (!r && watch_look(j->watch) < 0)
			return -1;
		if (!r && out->why.code == EXIT_DONE)
			out->why = *p;
		if (!r)
			continue;
		if (step_check_strict(&w->strict, a, g, &step, r, p) < 0)
			return -1;
		out->row[i] = (struct priced_row){
		    r->total_us, breakdown_exact_us(r),
		    breakdown_or_zero(r->host_us), r->energy_j,
		    sqrt(uncertainty_step_variance(r, a->plugin.p.n_sigma))};
	}
	return 0;
}

/* ---- in the parent ---- */

static double time_of(const struct priced_row *r, enum score_time time)
{
	double us = time == SCORE_EXACT     ? r->exact_us
		    : time == SCORE_TOTAL   ? r->total_us
		    : time == SCORE_VISIBLE ? r->exact_us - r->host_us
					    : r->energy_j;
	return us > 0 ? us : (double)NAN;
}

int score_begin_arm(struct score *s, size_t arm)
{
	struct score_arm *a = &s->arm[arm];
	const struct step_set *set = s->set;
	struct arrays *of = &s->arrays;
	a->us = arrays_add(of, set->n, sizeof *a->us);
	a->exact = arrays_add(of, set->n, sizeof *a->exact);
	a->total = arrays_add(of, set->n, sizeof *a->total);
	a->sd = arrays_add(of, set->n, sizeof *a->sd);
	a->why = arrays_add(of, set->n_deployments, sizeof *a->why);
	for (size_t i = 0; !of->out_of_memory && i < set->n; i++)
		a->us[i] = a->exact[i] = a->total[i] = (double)NAN;
	return of->out_of_memory ? -1 : 0;
}

/* Takes the answers of an arm on a deployment. */
static int take(struct score *s, struct score_arm *to,
		const struct step_arms *arms, size_t arm, size_t deployment,
		enum score_time time)
{
	const struct step_deployment *d = &s->set->deployment[deployment];
	const struct job *j = step_arms_job(arms, arm, deployment);
	const char *why = step_arms_why(arms, arm, deployment);
	const struct priced *is = why ? NULL : j->shared;
	if (why && j && j->problem->code == EXIT_PLUGIN)
		s->plugin_failed = 1;
	if (is && is->why.code != EXIT_DONE)
		why = is->why.text;
	if (why && !(to->why[deployment] = arrays_text(&s->arrays, why)))
		return -1;
	for (size_t i = 0; is && i < d->n; i++) {
		const struct priced_row *r = &is->row[i];
		if (isnan(r->total_us))
			continue;
		to->total[d->row[i]] = r->total_us;
		to->exact[d->row[i]] = r->exact_us;
		to->us[d->row[i]] = time_of(r, time);
		to->sd[d->row[i]] = time == SCORE_ENERGY ? 0 : r->sd_us;
	}
	return 0;
}

/* How often the measurements lie within the model's own intervals. */
static int cover(const struct score *s, struct score_arm *a)
{
	double *distance = calloc(s->set->n + 1, sizeof *distance);
	size_t n = 0;
	for (size_t i = 0; distance && i < s->set->n; i++)
		if (a->us[i] > 0 && a->sd[i] > 0 && s->measured[i] > 0)
			distance[n++] =
			    own_distance(s->measured[i], a->us[i], a->sd[i]);
	if (distance)
		a->own = own_coverage(distance, n);
	free(distance);
	return distance ? 0 : -1;
}

static void find_tables(const struct score *s, struct score_arm *to,
			const struct step_arms *arms, size_t arm)
{
	to->tables = "";
	for (size_t d = 0; d < s->set->n_deployments; d++) {
		const struct arm_config *a =
		    arms->refused[d] ? NULL : &arms->config[d].arm[arm];
		if (a && a->tables.n)
			to->tables = a->set;
		for (size_t i = 0; a && i < a->tables.n; i++)
			to->has_own_tables |=
			    names_have(&s->own_tables, a->tables.item[i].name);
	}
}

static int take_arm(struct score *s, size_t to, const struct step_arms *arms,
		    enum score_time time)
{
	struct score_arm *a = &s->arm[to];
	a->name = arms->arm[to];
	a->plugin = arms->plugin[to];
	find_tables(s, a, arms, to);
	if (score_begin_arm(s, to) < 0)
		return -1;
	for (size_t d = 0; d < s->set->n_deployments; d++)
		if (take(s, a, arms, to, d, time) < 0)
			return -1;
	return cover(s, a);
}

static int measure(struct score *s, enum score_time time)
{
	enum step_column c = time == SCORE_ENERGY ? STEP_ENERGY : STEP_TIME;
	s->measured = arrays_add(&s->arrays, s->set->n, sizeof *s->measured);
	for (size_t i = 0; s->measured && i < s->set->n; i++)
		s->measured[i] = steps_number(s->set->row[i].given, c);
	return s->measured ? 0 : -1;
}

/* ---- the baseline ---- */

/* As an arm of the configuration; then it gets the name SCORE_BASELINE. */
#define EXTRA_ARM "score-baseline-linear"

static int is_linear(const struct score_options *o)
{
	return !strcmp(o->baseline, "linear") && o->time != SCORE_ENERGY;
}

const char *score_extra_arm(const struct step_set *set,
			    const struct score_options *o)
{
	for (size_t d = 0; d < set->n_deployments; d++)
		if (set->deployment[d].n < BASELINE_ROWS && is_linear(o))
			return EXTRA_ARM;
	return NULL;
}

/* The last arm becomes the baseline: fitted where there are rows enough. */
static int fill_linear(struct score *s, int has_extra)
{
	struct score_arm *a = &s->arm[s->n - 1];
	double *us = calloc(s->set->n + 1, sizeof *us);
	if (!us || (!has_extra && score_begin_arm(s, s->n - 1) < 0) ||
	    baseline_predict(s->set, s->measured, us) < 0) {
		free(us);
		return -1;
	}
	for (size_t i = 0; i < s->set->n; i++) {
		size_t d = s->set->row[i].deployment;
		if (s->set->deployment[d].n < BASELINE_ROWS) {
			s->rows_by_default += isnan(a->us[i]) ? 0 : 1;
			continue;
		}
		a->us[i] = a->exact[i] = a->total[i] = us[i];
	}
	a->name = SCORE_BASELINE;
	a->tables = "";
	a->own = (struct own_coverage){0}; /* fitted figures have none */
	a->plugin = "linear";
	s->baseline = s->n - 1;
	s->has_own_baseline = 1;
	free(us);
	return 0;
}

static int find_baseline(struct score *s, const char *name, struct problem *p)
{
	for (size_t k = 0; k < s->n; k++)
		if (!strcmp(s->arm[k].name, name)) {
			s->baseline = k;
			return 0;
		}
	return problem_set(p, EXIT_USAGE,
			   "--baseline %s: not linear, none, nor one of the "
			   "arms",
			   name);
}

static int fill_arms(struct score *s, const struct step_arms *arms,
		     int has_extra, const struct score_options *o,
		     struct problem *p)
{
	int linear = is_linear(o);
	s->n = arms->n_arms + (linear && !has_extra ? 1u : 0u);
	s->arm = arrays_add(&s->arrays, s->n, sizeof *s->arm);
	if (!s->arm || measure(s, o->time) < 0)
		return problem_no_memory(p);
	for (size_t k = 0; k < arms->n_arms; k++)
		if (take_arm(s, k, arms, o->time) < 0)
			return problem_no_memory(p);
	s->baseline = SIZE_MAX;
	if (linear && fill_linear(s, has_extra) < 0)
		return problem_no_memory(p);
	if (!linear && strcmp(o->baseline, "none") &&
	    strcmp(o->baseline, "linear") &&
	    find_baseline(s, o->baseline, p) < 0)
		return -1;
	if (s->baseline != SIZE_MAX)
		s->arm[s->baseline].is_baseline = 1;
	return 0;
}

int score_price(struct score *s, struct step_arms *arms, int has_extra,
		const struct score_options *o, const struct jobs_options *jobs,
		struct problem *p)
{
	struct pricing w = {arms->set, o->strict};
	struct jobs_options how = *jobs;
	*s = (struct score){.set = arms->set};
	how.shared_bytes = sizeof(struct priced) +
			   step_set_most(arms->set) * sizeof(struct priced_row);
	if (own_tables_find(&s->own_tables, arms->set, p) < 0 ||
	    step_arms_run(arms, price_rows, &w, &how, p) < 0)
		return -1;
	return fill_arms(s, arms, has_extra, o, p);
}
